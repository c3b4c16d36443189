"""Options that several commands have."""

from typing import Annotated, Literal, TypeAlias

import typer

Format: TypeAlias = Annotated[Literal["text", "json"], typer.Option(help="For people, or for programs.")]
Seed: TypeAlias = Annotated[int, typer.Option(metavar="N", help="Equal seeds give equal results.")]
