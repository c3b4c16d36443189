"""Code that counts the functions Numba compiles, to be prepended to a program."""

COUNT = """
from numba.core import event
compiled = []
class Listener(event.Listener):
    def on_start(self, started):
        compiled.append(started.data["dispatcher"].__name__)
    def on_end(self, ended):
        pass
event.register("numba:compile", Listener())
"""
