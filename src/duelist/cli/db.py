"""`duelist db`: manage a database of studies."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from duelist.cli.databases import opened, show_help
from duelist.cli.options import Columns, DatabaseAddress, Encoding, Json, Reading, Sheet, SkipBad, option
from duelist.cli.terminal import console, print_json, say, say_notes, table
from duelist.errors import ParameterError
from duelist.text import counted

if TYPE_CHECKING:
    from duelist.database.backups import StudyEntry

EXAMPLES = (
    "duelist db create --database studies.db",
    "duelist db import home votes.csv --create",
    "duelist db upgrade",
    "duelist db check",
    "duelist db check --json | jq .faults",
    "duelist db backup studies-2026-11-16.zip",
    "duelist db restore studies-2026-11-16.zip --database postgresql://duelist@localhost/duelist",
    "duelist db export home votes.csv",
    "duelist db export home home.jsonl --events",
    "duelist db import home home.jsonl --database other.db",
)
Backup = Annotated[Path, typer.Argument(metavar="FILE", help="Zip archive of the backup.")]
StudyName = Annotated[str, typer.Argument(metavar="STUDY", help="Name of the study.")]
WRITERS = (".csv", ".jsonl")


def db(context: typer.Context) -> None:
    """Manage a database of studies: create, upgrade, check, back up, export and import.

    A database is an **SQLite file** on a local disk, for one machine, or **PostgreSQL**, for many workers.
    Name it with `--database`, or with the environment variable DUELIST_DATABASE, which suits a URL with a
    password. All subcommands except `upgrade` are safe while a service of the same version runs.
    """
    show_help(context)


def create(database: DatabaseAddress = "studies.db", as_json: Json = False) -> None:
    """Create a database; an existing one stays as it is.

    Only its owner can read the file. In PostgreSQL, first create an empty database: createdb duelist.
    """
    with opened(database, create=True) as created:
        studies = created.names()
    if as_json:
        print_json({"database": created.location, "studies": studies})
    else:
        say(f"{created.location} is ready: {counted(len(studies), 'study')}.")


def upgrade(database: DatabaseAddress = "studies.db", as_json: Json = False) -> None:
    """Upgrade the tables to the version that this version of duelist needs, all or nothing.

    Every command of a newer duelist does the same when it opens the database. So before you run one, stop the
    service, and make a backup with the old version.
    """
    with opened(database) as upgraded:
        before, now = upgraded.versions
    if as_json:
        print_json({"database": upgraded.location, "before": before, "now": now})
        return
    say(
        f"Upgraded the tables from version {before} to {now}."
        if before != now
        else f"The tables already have version {now}."
    )


def check(database: DatabaseAddress = "studies.db", as_json: Json = False) -> None:
    """Check a database: its version, that no event is missing, and that every study can be replayed.

    The exit status is 1 if there is a fault.
    """
    with opened(database) as checked:
        from duelist.checks.databases import check_database

        studies = list(check_database(checked))
    faults = sum(bool(one.fault) for one in studies)
    if as_json:
        rows = [
            {"study": one.name, "events": one.events, "answers": one.answers, "fault": one.fault or None}
            for one in studies
        ]
        print_json({"database": checked.location, "studies": rows, "faults": faults})
    else:
        listing = table("study", "events", "answers", "found", numbers=("events", "answers"))
        for one in studies:
            found = Text(one.fault, "bold red") if one.fault else Text("intact", "green")
            listing.add_row(Text(one.name), f"{one.events:,}", f"{one.answers:,}", found)
        if studies:
            console().print(listing)
        result = f"{faults} with faults; restore a backup" if faults else "no faults"
        say(f"{checked.location}: {counted(len(studies), 'study')}, {result}.")
    if faults:
        raise typer.Exit(1)


def backup(file: Backup, database: DatabaseAddress = "studies.db", as_json: Json = False) -> None:
    """Write a snapshot of all studies to one file; the service may keep running.

    The file is written whole or not at all, and can be restored to SQLite or PostgreSQL. It contains a file
    of JSON lines for each study, which other programs can read. **It contains no keys**: after a restore to
    a new database, open tickets are invalid, and you need to create new API keys.
    """
    with opened(database) as saved:
        from duelist.database.backups import write_backup
        from duelist.files import require_file

        require_file(file)
        studies = write_backup(saved, file)
    if as_json:
        print_json({"file": file, "studies": listed(studies)})
        return
    events = sum(study.events for study in studies)
    say(f"{counted(len(studies), 'study')} with {counted(events, 'event')} written to {file}.")


def restore(
    file: Backup,
    database: DatabaseAddress = "studies.db",
    missing: Annotated[
        bool, option("--missing", "Skip studies that the database already has, and restore the others.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Restore the studies of a backup to a database, which is created if it does not exist.

    Nothing is overwritten: if the database already has one of the studies, nothing is restored, unless you
    give --missing. The whole backup is read before anything is written.
    """
    from duelist.database.backups import require_backup, restore_backup

    require_backup(file)
    with opened(database, create=True) as restored:
        studies = restore_backup(restored, file, missing=missing)
    if as_json:
        print_json({"database": restored.location, "studies": listed(studies)})
        return
    listing = table("study", "events", numbers=("events",))
    for study in studies:
        listing.add_row(Text(study.name), f"{study.events:,}")
    if studies:
        console().print(listing)
    say(f"{counted(len(studies), 'study')} restored to {restored.location}.")


def export(
    study: StudyName,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="File to write: .csv or .jsonl.")],
    database: DatabaseAddress = "studies.db",
    all: Annotated[bool, option("--all", "Also write retracted votes and skipped duels.")] = False,
    events: Annotated[
        bool, option("--events", "Write the whole study, for `duelist db import` into another database.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Write the votes of a study to a file, one per line, for spreadsheets and `duelist analyze`.

    With --events, it writes all events of the study as JSON lines. An import of them gives the same study,
    except for the keys of open tickets.
    """
    if events:
        export_events(study, file, database, as_json)
        return
    if file.suffix.lower() not in WRITERS:
        raise ParameterError(f"FILE must end in {' or '.join(WRITERS)}; got {str(file)!r}.")
    with opened(database) as source:
        from duelist.cli.databases import study_of
        from duelist.files import require_file, write_whole
        from duelist.votes.writing import as_csv, as_lines

        require_file(file)
        votes = study_of(source, study).votes(all=all)
        written = as_csv(votes) if file.suffix.lower() == ".csv" else as_lines(votes)
        write_whole(file, b"".join(written))
    if as_json:
        print_json({"study": study, "file": file, "votes": len(votes)})
    else:
        say(f"{counted(len(votes), 'vote')} written to {file}.")


def export_events(study: str, file: Path, database: str, as_json: bool) -> None:
    if file.suffix.lower() != ".jsonl":
        raise ParameterError(f"FILE must end in .jsonl for --events; got {str(file)!r}.")
    with opened(database) as source:
        from duelist.cli.databases import journal_of
        from duelist.study.storage import save_journal

        journal = journal_of(source, study)
        save_journal(journal, file)
        count = len(journal.read())
    if as_json:
        print_json({"study": study, "file": file, "events": count})
    else:
        say(f"{counted(count, 'event')} written to {file}.")


def import_events(study: str, file: Path, database: str, as_json: bool) -> None:
    """Import the events of a file into a study, and the ticket keys of its sidecar file."""
    from duelist.study.storage import add_events, read_events

    events, keys = read_events(file), file.with_name(f"{file.name}.key")
    with opened(database, create=True) as target:
        new = add_events(target.journal(study), events, file)
        brought = target.ticket_keys.bring(keys.read_text()) if keys.is_file() else 0
    known = len(events) - new
    if as_json:
        print_json({"study": study, "new_events": new, "known_events": known, "ticket_keys": brought})
        return
    say(
        f"{counted(new, 'new event')} in {study}"
        + (f", {known:,} already there" if known else "")
        + (f"; {counted(brought, 'ticket key')} from {keys.name}" if brought else "")
        + "."
    )


def import_(
    study: StudyName,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="File of votes, or of events.")],
    database: DatabaseAddress = "studies.db",
    create: Annotated[
        bool, option("--create", "Create the study, with the arms of the file, if it does not exist.")
    ] = False,
    columns: Columns = None,
    skip_bad: SkipBad = False,
    encoding: Encoding = None,
    sheet: Sheet = None,
    as_json: Json = False,
) -> None:
    """Add recorded votes to a study; importing a file again changes nothing.

    The file is one that `duelist analyze` reads; every pair of arms in a ranking becomes a vote. The columns
    voter, item, time and ticket are imported too. Votes are deduplicated by ticket, or by arms, outcome,
    voter, item and time.

    A file that `export --events` or `Study.save` wrote contains a whole study, which is created if it does
    not exist. If the database has a different study of that name, the command fails.
    """
    from duelist.journal.protocol import require_study_name
    from duelist.study.storage import has_events

    # a name or a file that cannot be used creates no database
    require_study_name(study)
    if has_events(file):
        import_events(study, file, database, as_json)
        return
    reading = Reading.of(columns, skip_bad, encoding, sheet)
    from duelist.votes import load_votes

    votes = load_votes(file, **reading.options)
    say_notes(votes, into_study=True)
    with opened(database, create=create) as target:
        from duelist.cli.databases import study_of
        from duelist.study import Study

        if create and study not in target.names():
            into = Study(arms=votes.arms, journal=target.journal(study))
        else:
            into = study_of(target, study)
        new = into.import_votes(votes)
        known = int(votes.counts[votes.is_counted].sum()) - new
    if as_json:
        print_json({"study": study, "new_votes": new, "known_votes": known})
        return
    say(f"{counted(new, 'new vote')} in {study}" + (f", {known:,} already there." if known else "."))


def listed(studies: "Sequence[StudyEntry]") -> list[dict[str, Any]]:
    return [{"study": study.name, "events": study.events} for study in studies]


PARTS = {
    "create": create,
    "upgrade": upgrade,
    "check": check,
    "backup": backup,
    "restore": restore,
    "export": export,
    "import": import_,
}
