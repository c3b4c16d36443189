"""Text as printed, whatever the width it was wrapped to."""


def unspaced(text: str) -> str:
    return "".join(text.split())
