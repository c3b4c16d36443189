"""Options that several commands have."""

from typing import Annotated, Literal, TypeAlias

import typer

FormatName: TypeAlias = Literal["text", "json"]
Format: TypeAlias = Annotated[FormatName, typer.Option(help="For people, or for programs.")]
Seed: TypeAlias = Annotated[int, typer.Option(metavar="N", help="Equal seeds give equal results.")]
