"""The first bytes of images and sounds of every format, made by hand: no more is ever read of them."""

from pathlib import Path


def png(width: int = 2, height: int = 3) -> bytes:
    return (
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"
        + width.to_bytes(4)
        + height.to_bytes(4)
        + b"\x08\x06\0\0\0"
        + bytes(16)
    )


def gif(width: int = 2, height: int = 3) -> bytes:
    return b"GIF89a" + width.to_bytes(2, "little") + height.to_bytes(2, "little") + b"\0\0\0;"


def jpeg(width: int = 2, height: int = 3) -> bytes:
    """Return an image with a segment of text and filled markers before its size."""
    comment = b"\xff\xfe\x00\x08\xff\xc0abc\0"
    tables = b"\xff\xff\xff\xc4\x00\x04ab"
    return (
        b"\xff\xd8" + comment + tables + b"\xff\xc2\x00\x11\x08" + height.to_bytes(2) + width.to_bytes(2)
    ) + bytes(12)


def webp(kind: bytes, width: int = 2, height: int = 3) -> bytes:
    match kind:
        case b"VP8X":
            body = bytes(4) + (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
        case b"VP8L":
            body = b"\x2f" + (width - 1 | (height - 1) << 14).to_bytes(4, "little")
        case _:
            body = b"\0\0\0\x9d\x01\x2a" + width.to_bytes(2, "little") + height.to_bytes(2, "little")
    return b"RIFF\x10\0\0\0WEBP" + kind + b"\x0a\0\0\0" + body + bytes(9)


FILES = {
    "image/png": png(),
    "image/gif": gif(),
    "image/jpeg": jpeg(),
    "image/webp": webp(b"VP8X"),
    "audio/wav": b"RIFF\x24\0\0\0WAVEfmt ",
    "audio/ogg": b"OggS\0\x02",
    "audio/flac": b"fLaC\0\0\0\x22",
    "audio/mp4": b"\0\0\0\x20ftypM4A \0\0\0\0",
    "audio/mpeg": b"ID3\x04\0\0",
}
SOUND = b"\xff\xfb\x90\x64\0\0"  # of an mp3 file without a tag


def spread(folder: Path, files: dict[str, bytes]) -> Path:
    """Write files at their paths below a folder, and return the folder."""
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder
