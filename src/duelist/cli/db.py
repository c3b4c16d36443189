"""`duelist db`: set up and look after a database of studies."""

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from duelist.cli.databases import opened, show_help
from duelist.cli.options import Columns, DatabasePlace, Encoding, Reading, Sheet, SkipBad, option
from duelist.cli.terminal import console, examples, say, say_notes, table
from duelist.errors import ParameterError
from duelist.text import counted

EXAMPLES = examples(
    "duelist db create --database studies.db",
    "duelist db check",
    "duelist db backup studies-2026-11-16.zip",
    "duelist db restore studies-2026-11-16.zip --database postgresql://duelist@localhost/duelist",
    "duelist db export home votes.csv",
    "duelist db import home votes.csv --create",
    "duelist db export home home.jsonl --events",
    "duelist db import home home.jsonl --database other.db",
)
Backup = Annotated[Path, typer.Argument(metavar="FILE", help="The backup, a zip archive.")]
StudyName = Annotated[str, typer.Argument(metavar="STUDY", help="The study's name in the database.")]
WRITERS = (".csv", ".jsonl")


def db(context: typer.Context) -> None:
    """Set up and look after a database of studies: upgrade, check, back up, export and import.

    A database is a **file of SQLite** on a local disk, for one machine, or **PostgreSQL**, for many workers.
    It is named by `--database`, or by the environment variable DUELIST_DATABASE, which is the place for an
    address with a password. All of this may be done while a service runs, except for `upgrade`.
    """
    show_help(context)


def create(database: DatabasePlace = "studies.db") -> None:
    """Make a new database; one that is there already is left as it is.

    The file can be read by its owner alone. In PostgreSQL, make an empty database first: createdb duelist.
    """
    with opened(database, create=True) as made:
        say(f"{made.location} is ready: {counted(len(made.names()), 'study')}.")


def upgrade(database: DatabasePlace = "studies.db") -> None:
    """Bring the tables to the version that this duelist works with, all or nothing.

    Whatever opens a database does the same. Stop the service and make a backup before, with the version of
    duelist that is still in use.
    """
    with opened(database) as upgraded:
        before, now = upgraded.versions
    say(f"The tables were of version {before}, and are now of {now}." if before != now else "Up to date.")


def check(database: DatabasePlace = "studies.db") -> None:
    """Look whether everything is there: versions, events without holes, and every study can be folded.

    Ends with status 1 if something is wrong.
    """
    with opened(database) as looked_at:
        from duelist.checks.databases import check_database

        listing = table("study", "events", "answers", "found", numbers=("events", "answers"))
        faults = total = 0
        for found in check_database(looked_at):
            total += 1
            faults += bool(found.fault)
            verdict = Text(found.fault, "bold red") if found.fault else Text("whole", "green")
            listing.add_row(Text(found.name), f"{found.events:,}", f"{found.answers:,}", verdict)
    if total:
        console().print(listing)
    told = "nothing is wrong" if not faults else f"{faults} with faults; restore a backup"
    say(f"{looked_at.location}: {counted(total, 'study')}, {told}.")
    if faults:
        raise typer.Exit(1)


def backup(file: Backup, database: DatabasePlace = "studies.db") -> None:
    """Write all studies to one file, as they are at one moment; the service may go on.

    The file is whole or not there, and can be restored into SQLite and PostgreSQL alike. It holds a file of
    JSON lines for each study, which can be read without duelist. **Keys are not in it**: after a restore into
    a new database, tickets that are open are refused, and keys of the API are made anew.
    """
    with opened(database) as saved:
        from duelist.database.backups import write_backup
        from duelist.files import require_file

        require_file(file)
        studies = write_backup(saved, file)
    events = sum(study.events for study in studies)
    say(f"{counted(len(studies), 'study')} with {counted(events, 'event')} written to {file}.")


def restore(
    file: Backup,
    database: DatabasePlace = "studies.db",
    missing: Annotated[
        bool, option("--missing", "Leave out studies that are there already, and add the others.")
    ] = False,
) -> None:
    """Write the studies of a backup into a database, which is made if it is not there.

    What is there is never written over: if a study of the backup is, nothing is restored, unless --missing
    is given. The backup is read to its end before anything is written.
    """
    from duelist.database.backups import require_backup, restore_backup

    require_backup(file)
    with opened(database, create=True) as restored:
        studies = restore_backup(restored, file, missing=missing)
    listing = table("study", "events", numbers=("events",))
    for study in studies:
        listing.add_row(Text(study.name), f"{study.events:,}")
    if studies:
        console().print(listing)
    say(f"{counted(len(studies), 'study')} restored to {restored.location}.")


def export(
    study: StudyName,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where to write: .csv or .jsonl.")],
    database: DatabasePlace = "studies.db",
    all: Annotated[
        bool, option("--all", "Also votes that were retracted and duels that were skipped.")
    ] = False,
    events: Annotated[
        bool, option("--events", "All that happened, as `duelist db import` reads it into another database.")
    ] = False,
) -> None:
    """Write the votes of a study to a file, one a line, for spreadsheets and `duelist analyze`.

    With --events it is the whole study that is written, as lines of JSON: it is the same study where it is
    imported again, but for the keys of tickets that are open.
    """
    if events:
        export_events(study, file, database)
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
    say(f"{counted(len(votes), 'vote')} written to {file}.")


def export_events(study: str, file: Path, database: str) -> None:
    """Write all events of a study to a file."""
    if file.suffix.lower() != ".jsonl":
        raise ParameterError(f"events are lines of JSON: FILE must end in .jsonl; got {str(file)!r}.")
    with opened(database) as source:
        from duelist.cli.databases import journal_of
        from duelist.study.storage import save_journal

        journal = journal_of(source, study)
        save_journal(journal, file)
        count = len(journal.read())
    say(f"{counted(count, 'event')} written to {file}.")


def import_events(study: str, file: Path, database: str) -> None:
    """Bring the events of a file into a study, and the keys of its tickets that lie beside the file."""
    from duelist.study.storage import add_events, read_events

    events, keys = read_events(file), file.with_name(f"{file.name}.key")
    with opened(database, create=True) as target:
        new = add_events(target.journal(study), events, file)
        brought = target.ticket_keys.bring(keys.read_text()) if keys.is_file() else 0
    known = len(events) - new
    say(
        f"{counted(new, 'new event')} in {study}"
        + (f", {known:,} were there already" if known else "")
        + (f"; {counted(brought, 'key')} of tickets from {keys.name}" if brought else "")
        + "."
    )


def import_(
    study: StudyName,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file of votes.")],
    database: DatabasePlace = "studies.db",
    create: Annotated[
        bool, option("--create", "Make the study if it is not there, with the arms of the file.")
    ] = False,
    columns: Columns = None,
    skip_bad: SkipBad = False,
    encoding: Encoding = None,
    sheet: Sheet = None,
) -> None:
    """Record votes that were recorded elsewhere; to import a file twice counts its votes once.

    The file is one that `duelist analyze` reads; of a ranking, every two arms become a vote. Columns voter,
    item, time and ticket are kept. A vote is known again by its ticket, or by its arms, outcome, voter, item
    and time.

    A file that `export --events` or `Study.save` wrote is a whole study, and is read as such: the study is
    made if it is not there, and another study is refused.
    """
    from duelist.study.storage import has_events

    if has_events(file):
        import_events(study, file, database)
        return
    reading = Reading.of(columns, skip_bad, encoding, sheet)
    with opened(database, create=create) as target:
        from duelist.cli.databases import study_of
        from duelist.study import Study
        from duelist.votes import load_votes

        votes = load_votes(file, **reading.options)
        say_notes(votes, into_study=True)
        if create and study not in target.names():
            into = Study(arms=votes.arms, journal=target.journal(study))
        else:
            into = study_of(target, study)
        new = into.import_votes(votes)
        known = int(votes.counts[votes.is_counted].sum()) - new
    say(f"{counted(new, 'new vote')} in {study}" + (f", {known:,} were there already." if known else "."))


PARTS = {
    "create": create,
    "upgrade": upgrade,
    "check": check,
    "backup": backup,
    "restore": restore,
    "export": export,
    "import": import_,
}
