"""How far the compiler is, for those who wait for it."""

from typing import Any

from numba.core import event

from duelist.text import counted


class Compilations(event.Listener):
    """Counts the functions that this process has begun to compile."""

    def __init__(self) -> None:
        self.begun = 0

    def on_start(self, event: Any) -> None:
        """Count one more."""
        self.begun += 1

    def on_end(self, event: Any) -> None:
        """Count nothing: a function ends after those that it calls."""

    def since(self, before: int) -> str:
        """Return in a few words what was compiled since there were that many; nothing if nothing was."""
        made = self.begun - before
        return f"compiling, {counted(made, 'function')} so far" if made else ""


COMPILATIONS = Compilations()
register: Any = event.register
register("numba:compile", COMPILATIONS)
