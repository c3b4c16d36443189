"""Tables of features put on top of each other."""

import numpy as np

from duelist.duel import FeatureArray, IntArray


def stack_rows(blocks: list[FeatureArray]) -> FeatureArray:
    """Return the rows of all blocks, with 0 where a block has fewer columns; a single one is not copied.

    Each block leaves the list as soon as it is copied, so that its memory can be used again.

    Examples
    --------
    >>> stack_rows([np.ones((1, 2), np.float32), np.ones((1, 1), np.float32)])
    array([[1., 1.], [1., 0.]], dtype=float32)
    """
    if len(blocks) == 1:
        return blocks.pop()
    width = max(block.shape[1] for block in blocks)
    stacked = np.empty((sum(len(block) for block in blocks), width), np.float32)
    blocks.reverse()
    filled = 0
    while blocks:
        block = blocks.pop()
        rows = stacked[filled : filled + len(block)]
        rows[:, : block.shape[1]] = block
        rows[:, block.shape[1] :] = 0.0
        filled += len(block)
    return stacked


def stack_offsets(parts: list[IntArray]) -> IntArray:
    """Return where queries begin when the documents of all parts stand below each other.

    Examples
    --------
    >>> stack_offsets([np.array([0, 2, 3]), np.array([0, 4])])
    array([0, 2, 3, 7])
    """
    sizes = np.concatenate([np.diff(offsets) for offsets in parts])
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
