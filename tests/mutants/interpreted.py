"""A plug-in of pytest: all kernels run interpreted, with the same results, and none is compiled."""

from typing import Any

import numpy as np
import pytest

from duelist.kernels.compile import Kernel
from duelist.kernels.live import BACKGROUND


def interpret(kernel: Kernel, *arguments: Any) -> Any:
    """Run a kernel as plain Python, also in threads."""
    with np.errstate(all="ignore"):
        return kernel.py_func(*arguments)


pytest.MonkeyPatch().setattr(Kernel, "__call__", interpret)
BACKGROUND.is_lost = True
