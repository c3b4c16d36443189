"""How kernels become one: inner kernels are lowered, and optimised and translated only with their callers.

Numba optimises every function by itself, translates it to machine code, wraps it for Python, and does it all
again for whoever calls it. An inner kernel is never called on its own, so that most of this is waste: here it
stays a piece of intermediate code until it is merged with a kernel that Python calls.
"""

from typing import Any

from numba.core import compiler_machinery, environment, typed_passes
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.compiler_machinery import LoweringPass

register_pass: Any = compiler_machinery.register_pass
lookup_environment: Any = environment.lookup_environment

ENVIRONMENT = "_ZN08NumbaEnv"  # how the names of a function's environments begin


class InnerLibrary(JITCodeLibrary):
    """Intermediate code of an inner kernel, of which no machine code is made."""

    @property
    def codegen(self) -> Any:
        """Return whoever sets environments: nobody, before there is machine code."""
        return self

    def set_env(self, name: str, environment: Any) -> None:
        """Leave the environment to the kernel that this one is merged with."""

    def get_pointer_to_function(self, name: str) -> int:
        """Return that there is no machine code."""
        base: Any = super()
        base._ensure_finalized()
        return 0

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        base: Any = super()
        base._finalize_dynamic_globals()
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class InnerLowering(typed_passes.NativeLowering):
    """Lowers an inner kernel."""

    _name = "duelist_inner_lowering"

    def run_pass(self, state: Any) -> bool:
        """Lower into a library without machine code."""
        library: Any = InnerLibrary
        state.library = library(state.targetctx.codegen(), state.func_id.func_qualname)
        base: Any = super()
        return bool(base.run_pass(state))


@register_pass(mutates_CFG=False, analysis_only=True)
class SetEnvironments(LoweringPass):
    """Sets the environments of the inner kernels that were merged."""

    _name = "duelist_set_environments"

    def __init__(self) -> None:
        base: Any = super()
        base.__init__()

    def run_pass(self, state: Any) -> bool:
        """Set every environment that the machine code refers to."""
        for variable in state.library._final_module.global_variables:
            if variable.name.startswith(ENVIRONMENT):
                known = lookup_environment(variable.name)
                if known is not None:
                    state.targetctx.codegen().set_env(variable.name, known)
        return False


class OuterCompiler(Compiler):
    """Compiles a kernel that Python calls."""

    def define_pipelines(self) -> list[Any]:
        """Return Numba's own steps, and one more."""
        base: Any = super()
        managers: list[Any] = base.define_pipelines()
        for manager in managers:
            manager.add_pass_after(SetEnvironments, typed_passes.NativeLowering)
            manager.finalize()
        return managers


class InnerCompiler(Compiler):
    """Compiles a kernel that compiled kernels call."""

    def define_pipelines(self) -> list[Any]:
        """Return Numba's own steps, with another way of lowering."""
        base: Any = super()
        managers: list[Any] = base.define_pipelines()
        for manager in managers:
            manager.passes = [
                (InnerLowering, "inner lowering") if step is typed_passes.NativeLowering else (step, name)
                for step, name in manager.passes
            ]
        return managers
