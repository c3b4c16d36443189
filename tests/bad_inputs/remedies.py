"""Whether an error says what is allowed, or what to do."""

import re

PATTERN = re.compile(
    r"; |, but |: (write|give|set|take|name) |: [A-Z]\w*\(|\. [A-Z]|must|needs|expected|ask\(\)"
    r"|[Dd]id you mean|Known:"
)
"""How a message goes on after what was wrong."""


def says_what_to_do(message: str) -> bool:
    return PATTERN.search(message) is not None
