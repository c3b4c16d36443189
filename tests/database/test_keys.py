"""API keys: displayed once, stored as digests, revoked permanently."""

import re
import sqlite3
from pathlib import Path

from refusals import refused

from duelist.database import ApiKey, Database
from duelist.database.keys import ROLES
from duelist.errors import ParameterError, UnknownNameError


def test_a_secret_finds_its_key_in_every_process(place: str) -> None:
    with Database(place) as database, Database(place) as other:
        secrets = {role: database.api_keys.create(f"key of {role}", role) for role in ROLES}
        for role, secret in secrets.items():
            assert re.fullmatch(r"duelist_[0-9a-f]{12}_[A-Za-z0-9_-]{43}", secret)
            found = other.api_keys.find(secret)
            assert found is not None
            assert (found.name, found.role, found.revoked) == (f"key of {role}", role, None)
            assert secret.startswith(f"duelist_{found.id}_")
        assert [key.role for key in other.api_keys.list()] == list(ROLES)


def test_what_is_not_a_whole_secret_finds_nothing(place: str) -> None:
    with Database(place) as database:
        secret = database.api_keys.create("kiosk", "play")
        other = database.api_keys.create("desk", "admin")
        mixed = other[:21] + secret[21:]  # the id of one key, the rest of another
        changed = secret[:-1] + ("A" if secret[-1] != "A" else "B")
        unknown = "duelist_" + "0" * 12 + secret[20:]
        for wrong in (
            mixed,
            changed,
            unknown,
            secret + "x",
            secret[:-1],
            secret.upper(),
            "",
            "\ud800",
            "ä\0",
        ):
            assert database.api_keys.find(wrong) is None, wrong
        assert database.api_keys.find(secret) is not None


def test_a_revoked_key_opens_nothing_and_stays_on_record(place: str) -> None:
    with Database(place) as database:
        keys = database.api_keys
        secret, kept = keys.create("kiosk", "play"), keys.create("desk", "read")
        [first, _] = keys.list()
        keys.revoke(first.id)
        assert keys.find(secret) is None
        assert keys.find(kept) is not None
        revoked = keys.list()[0].revoked
        assert revoked is not None
        assert revoked >= first.created
        keys.revoke(first.id)
        assert keys.list()[0].revoked == revoked
        with refused(UnknownNameError, "key", "'nobodys'"):
            keys.revoke("nobodys")


def test_the_secret_is_not_in_the_database(tmp_path: Path) -> None:
    path = tmp_path / "studies.db"
    with Database(path) as database:
        secret = database.api_keys.create("kiosk", "play")
    content = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert b"kiosk" in content
    assert secret[21:].encode() not in content
    [(digest,)] = sqlite3.connect(path).execute("SELECT digest FROM api_keys")
    assert len(digest) == 32


def test_wrong_names_and_roles_are_refused(tmp_path: Path) -> None:
    with Database(tmp_path / "studies.db") as database:
        with refused(UnknownNameError, "role", "'amdin'", "'admin'"):
            database.api_keys.create("kiosk", "amdin")
        for name in ("", "a" * 201, "two\nlines", "\ud800"):
            with refused(ParameterError, "name", "200", repr(name[:60])):
                database.api_keys.create(name, "play")
        assert database.api_keys.list() == []


def test_roles_may_do_what_lower_roles_may() -> None:
    may = {role: [other for other in ROLES if ApiKey("0", "n", role, 0.0, None).may(other)] for role in ROLES}
    assert may == {"read": ["read"], "play": ["read", "play"], "admin": ["read", "play", "admin"]}
