"""Images and audio: recognised by content, limited in size, and never outside the folder."""

import os
import re
from collections.abc import Callable
from pathlib import Path, PureWindowsPath
from typing import BinaryIO

from duelist.errors import FileError
from duelist.judging.material import Output

LARGEST_FILE = {"image": 20_000_000, "audio": 50_000_000}
"""Maximum size of a file in bytes, by its kind."""
MOST_PIXELS = 50_000_000
KNOWN = "images as png, jpeg, gif or webp, audio as mp3, wav, ogg, m4a or flac"
HEAD = 512
"""Number of leading bytes that identify a file's type."""
BEGINNINGS = {
    "image/png": re.compile(rb"\x89PNG\r\n\x1a\n"),
    "image/jpeg": re.compile(rb"\xff\xd8\xff"),
    "image/gif": re.compile(rb"GIF8[79]a"),
    "image/webp": re.compile(rb"RIFF....WEBP", re.DOTALL),
    "audio/wav": re.compile(rb"RIFF....WAVE", re.DOTALL),
    "audio/ogg": re.compile(rb"OggS"),
    "audio/flac": re.compile(rb"fLaC"),
    "audio/mp4": re.compile(rb"....ftyp(?:M4A|M4B|mp4[12]|isom|iso[2-6]|dash)", re.DOTALL),
    # a tag, or a frame of layer III
    "audio/mpeg": re.compile(rb"ID3|\xff[\xe2\xe3\xf2\xf3\xfa\xfb][\x10-\xeb]"),
}
PROGRAMS = {
    "SVG": re.compile(rb"<svg\b", re.IGNORECASE),
    "HTML": re.compile(rb"<(?:!doctype\s+html|html|head|body|script)\b", re.IGNORECASE),
}


def media_relative_to(folder: Path, given: str, kind: str) -> Output:
    """Return the image or audio (`kind`) at a path relative to a folder, which must stay inside it."""
    path = PureWindowsPath(given)  # understands the paths of all systems
    if path.anchor:
        raise FileError(f"{given!r} is an absolute path; give a path relative to the file.")
    if ".." in path.parts:
        raise FileError(f"{given!r} is outside the folder; keep {kind} files in the folder or below it.")
    output = media_in(folder, folder / given)
    if output is None:
        raise FileError(f"{given!r} is not a supported {kind} file; give {KNOWN}.")
    if output.media_type is None or not output.media_type.startswith(f"{kind}/"):
        raise FileError(f"{given!r} is {output.media_type}, not {kind}; check the field.")
    return output


def media_in(folder: Path, path: Path) -> Output | None:
    """Return the image or audio in a file of a folder; None for any other file, such as a text."""
    try:
        require_inside(folder, path)
        with path.open("rb") as file:
            head = file.read(HEAD)
            media_type = next((kind for kind, start in BEGINNINGS.items() if start.match(head)), None)
            if media_type is None:
                return None
            _require_size(path, media_type, file)
    except OSError as error:
        raise FileError(
            f"{path} cannot be read: {error.strerror}; check the path and its permissions."
        ) from error
    return Output(path=path, media_type=media_type)


def require_inside(folder: Path, path: Path) -> None:
    """Raise FileError unless the path is a regular file inside the folder, with symbolic links resolved."""
    if not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder)):
        raise FileError(
            f"{path} is a symbolic link to a file outside the folder; copy that file into the folder."
        )
    if not path.is_file():
        found = "is not a regular file" if path.exists() else "does not exist"
        raise FileError(f"{path} {found}; check the path.")


def program_in(path: Path) -> str | None:
    """Return "SVG" or "HTML" if a file seems to be one; both can run scripts in a voter's browser."""
    with path.open("rb") as file:
        head = file.read(HEAD).removeprefix(b"\xef\xbb\xbf").lstrip()
    return next((name for name, tag in PROGRAMS.items() if head[:1] == b"<" and tag.search(head)), None)


def _require_size(path: Path, media_type: str, file: BinaryIO) -> None:
    kind = media_type.partition("/")[0]
    size, largest = os.fstat(file.fileno()).st_size, LARGEST_FILE[kind]
    if size > largest:
        raise FileError(f"{path} has {size:,} bytes; the maximum is {largest:,}. Make it smaller.")
    if kind != "image":
        return
    sides = image_size(media_type, file)
    if sides is None or 0 in sides:
        raise FileError(
            f"{path} is damaged: it begins as {media_type}, but has no width and height. Export it again."
        )
    if sides[0] * sides[1] > MOST_PIXELS:
        raise FileError(
            f"{path} is {sides[0]:,} x {sides[1]:,} pixels; the maximum is {MOST_PIXELS:,} in total. "
            "Make it smaller."
        )


MOST_SEGMENTS = 1_000
"""Maximum number of segments before the size of a JPEG file; real files have about twenty."""
NO_SIZES = (0xC4, 0xC8, 0xCC)
"""JPEG markers in the range of size markers that mean something else."""


def image_size(media_type: str, file: BinaryIO) -> tuple[int, int] | None:
    r"""Return the width and height of an image; None if the file does not contain them.

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
        while marker == b"\xff\xff":  # fill bytes before a marker
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
"""Number of leading bytes that contain the size, and the function that reads it."""
