"""What a duplicate arm changes."""

from duelist.laboratory import Item
from duelist_reproductions.dudik2015.clones import figures, sweep, verdicts

ITEM = Item(
    name="clones",
    title="Appendix: a duplicate arm changes the Copeland winners, not the von Neumann winner",
    minutes=0.1,
    plan=sweep.plan,
    findings=verdicts.judge,
    show=figures.show,
)
