"""How many pixels an image has, by the first bytes of its file: nothing is decoded."""

from collections.abc import Callable
from typing import BinaryIO

MOST_SEGMENTS = 1_000
"""Segments of a JPEG file that may come before its size; real ones have some twenty."""
NO_SIZES = (0xC4, 0xC8, 0xCC)
"""Markers of JPEG among those of its size that mean something else."""


def image_size(media_type: str, file: BinaryIO) -> tuple[int, int] | None:
    r"""Return the width and height of an image; None if the file does not tell.

    Examples
    --------
    >>> from io import BytesIO
    >>> image_size("image/gif", BytesIO(b"GIF89a\x40\x01\xf0\x00" + bytes(30)))
    (320, 240)
    """
    file.seek(0)
    if media_type == "image/jpeg":
        return _jpeg(file)
    needed, size = SIZES[media_type]
    head = file.read(needed)
    return size(head) if len(head) == needed else None


def _png(head: bytes) -> tuple[int, int] | None:
    if head[12:16] != b"IHDR":
        return None
    return int.from_bytes(head[16:20]), int.from_bytes(head[20:24])


def _gif(head: bytes) -> tuple[int, int]:
    return int.from_bytes(head[6:8], "little"), int.from_bytes(head[8:10], "little")


def _webp(head: bytes) -> tuple[int, int] | None:
    match head[12:16]:
        case b"VP8X":
            return 1 + int.from_bytes(head[24:27], "little"), 1 + int.from_bytes(head[27:30], "little")
        case b"VP8L" if head[20] == 0x2F:
            bits = int.from_bytes(head[21:25], "little")
            return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
        case b"VP8 " if head[23:26] == b"\x9d\x01\x2a":
            sides = int.from_bytes(head[26:28], "little"), int.from_bytes(head[28:30], "little")
            return sides[0] & 0x3FFF, sides[1] & 0x3FFF
    return None


def _jpeg(file: BinaryIO) -> tuple[int, int] | None:
    file.seek(2)
    for _ in range(MOST_SEGMENTS):
        marker = file.read(2)
        while marker == b"\xff\xff":  # a marker may be filled up
            marker = b"\xff" + file.read(1)
        length = int.from_bytes(file.read(2))
        if len(marker) < 2 or marker[0] != 0xFF or length < 2:
            return None
        if 0xC0 <= marker[1] <= 0xCF and marker[1] not in NO_SIZES:
            sides = file.read(5)
            return (int.from_bytes(sides[3:5]), int.from_bytes(sides[1:3])) if len(sides) == 5 else None
        file.seek(length - 2, 1)
    return None


SIZES: dict[str, tuple[int, Callable[[bytes], tuple[int, int] | None]]] = {
    "image/png": (24, _png),
    "image/gif": (10, _gif),
    "image/webp": (30, _webp),
}
"""How many of the first bytes tell the size, and how they are read."""
