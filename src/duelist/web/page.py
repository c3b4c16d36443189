"""Pages from templates: texts escaped, one style sheet inside, no other file and no network needed."""

from functools import cache
from importlib import resources
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from duelist import __version__
from duelist.text import number


@cache
def environment() -> Environment:
    """Return the environment of all templates; it escapes texts, and a missing value is an error."""
    made = Environment(
        loader=PackageLoader("duelist.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    style = resources.files("duelist.web").joinpath("static", "style.css").read_text(encoding="utf-8")
    made.globals |= {"style": Markup(style), "version": __version__}
    made.filters["number"] = number
    return made


def render(template: str, **values: Any) -> str:
    """Return the page of a template, as HTML."""
    return environment().get_template(template).render(values)
