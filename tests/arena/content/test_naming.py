import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from duelist.arena.content.gathering import name_of
from duelist.study.choices import as_name


@given(st.text(min_size=1, max_size=9), st.text(min_size=1, max_size=9))
def test_names_are_short_fit_and_distinct(one: str, other: str) -> None:
    for text in (one, other, one * 110):
        name = name_of(text)
        assert as_name("item", name) == name
        assert len(name) <= 200
        assert name_of(text) == name
    same = unicodedata.normalize("NFC", one) == unicodedata.normalize("NFC", other)
    assert (name_of(one) == name_of(other)) == same


def test_a_text_cannot_take_the_name_of_another() -> None:
    long = "word " * 100
    assert name_of(name_of(long)) != name_of(long)
    assert name_of("a\nb") != name_of("a b")
    assert name_of("x" * 100) == "x" * 100
    assert name_of("x" * 101) != name_of("x" * 102)
    assert name_of("x" * 101).startswith("x" * 80 + "… ")


def test_names_do_not_change_with_versions() -> None:
    assert name_of("one\ntwo") == "one two… bb4549a9d91e839c"
