"""A plug-in of pytest: all kernels run interpreted, with the same results, and none is compiled."""

from functools import partial
from typing import Any

import numpy as np
import pytest

from duelist.kernels.compile import Kernel
from duelist.kernels.live import BACKGROUND


def interpret(kernel: Kernel, *arguments: Any) -> Any:
    """Run a kernel as plain Python, also in threads."""
    with np.errstate(all="ignore"):
        return kernel.py_func(*arguments)


def pytest_configure(config: pytest.Config) -> None:
    """Begin when pytest takes the plug-in: that doctests are looked for in this file changes nothing."""
    patch = pytest.MonkeyPatch()
    patch.setattr(Kernel, "__call__", interpret)
    patch.setattr(Kernel, "entry", lambda kernel, signature: partial(interpret, kernel))
    patch.setattr(BACKGROUND, "is_lost", True)
    config.add_cleanup(patch.undo)
