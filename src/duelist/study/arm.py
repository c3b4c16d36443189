"""An arm with what it shows besides its name."""

import unicodedata
from typing import NamedTuple

from duelist.errors import ParameterError
from duelist.journal.content import require_content

LONGEST = 1000
"""Characters of a name."""


class Arm(NamedTuple):
    r"""An arm of a study with something to show: a text, a link, an image.

    Examples
    --------
    >>> from duelist import Study
    >>> study = Study(arms=["Haiku", Arm("Limerick", text="There was an old man\nfrom Peru")])
    >>> print(study.arm("Limerick").text)
    There was an old man
    from Peru
    >>> study.arm("Haiku")
    Arm(name='Haiku', text=None, link=None, image=None)
    """

    name: str
    text: str | None = None
    """Of at most 100,000 characters, with newlines and tabs but no other control characters."""
    link: str | None = None
    """A URL that begins with https:// or http://, of at most 2,000 characters."""
    image: str | None = None
    """Such a URL, or the image itself, as data:image/png;base64,… (also jpeg, gif and webp), of at most
    1,000,000 characters."""

    def content(self) -> dict[str, str]:
        """Return what there is besides the name, by field."""
        fields = {"text": self.text, "link": self.link, "image": self.image}
        return {field: value for field, value in fields.items() if value is not None}


def as_arm(field: str, given: object) -> Arm:
    """Return an arm with its name in the one form that Unicode prefers, or say why it cannot be one."""
    if not isinstance(given, Arm):
        return Arm(as_name(field, given))
    try:
        require_content(given.text, given.link, given.image)
    except ParameterError as error:
        raise ParameterError(f"{field}: {error}") from error
    return given._replace(name=as_name(field, given.name))


def as_name(field: str, name: object) -> str:
    """Return a name in the one form that Unicode prefers, or say why it cannot be one."""
    if not isinstance(name, str) or not name:
        raise ParameterError(f"{field} must be a name, a text that is not empty; got {name!r}.")
    composed = str(unicodedata.normalize("NFC", name))
    unfit = next((sign for sign in composed if unicodedata.category(sign) in ("Cc", "Cs", "Zl", "Zp")), None)
    if unfit is not None:
        raise ParameterError(f"{field} holds the character {unfit!r}, which cannot be shown; got {name!r}.")
    if len(composed) > LONGEST:
        raise ParameterError(f"{field} has {len(composed)} characters; at most {LONGEST} are possible.")
    return composed
