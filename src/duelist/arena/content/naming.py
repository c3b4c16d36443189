"""Names for texts of any length: short, distinct, and the same in every run."""

import re
from hashlib import blake2b

from duelist.errors import ParameterError
from duelist.study.choices import as_name

LONGEST_NAME = 100
"""Characters of a text that is its own name."""
BEGINNING = 80
"""Characters of a longer text that its name begins with."""
SHORTENED = re.compile(r".*… [0-9a-f]{16}")
"""What the names of longer texts look like; a short text that does is named like a longer one."""
UNFIT = re.compile("[\0-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def name_of(text: str) -> str:
    r"""Return the name of a text: itself, or its beginning and a digest where it is long or has many lines.

    Examples
    --------
    >>> name_of("Why is the sky blue?")
    'Why is the sky blue?'
    >>> name_of("Translate:\n\n\tGuten Morgen!")
    'Translate: Guten Morgen!… 3ca5de4ef023aecb'
    """
    if len(text) <= LONGEST_NAME and SHORTENED.fullmatch(text) is None:
        try:
            return as_name("name", text)
        except ParameterError:
            pass
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
    beginning = " ".join(UNFIT.sub(" ", text[: 4 * BEGINNING]).split())
    return as_name("name", f"{beginning[:BEGINNING]}… {digest}")
