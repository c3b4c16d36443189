"""Bad and odd files as people have them: what is in them, and what a reader says or reads.

Each has a name, its content, options, and what is expected: a refusal whose message holds some needles, or the
votes that are read, as `tally_of` shows them, and needles of what is noted.
"""

import gzip
import io
import zipfile
from typing import Any, NamedTuple

LRO = "left,right,outcome\n"
ABW = "a,b,winner\n"
MAB = "model_a,model_b,winner\n"
WL = "winner,loser\n"
WLC = "winner,loser,count\n"
HOME = "home_team,away_team,result\n"


class Odd(NamedTuple):
    """A file, and what is expected of it."""

    content: bytes
    votes: str | None
    """None if the file is refused."""
    needles: tuple[str, ...]
    options: dict[str, Any]
    name: str


def refused(content: str | bytes, *needles: str, name: str = "votes.csv", **options: Any) -> Odd:
    return Odd(content.encode() if isinstance(content, str) else content, None, needles, options, name)


def read(
    content: str | bytes, votes: str, *needles: str, name: str = "votes.csv", **options: Any
) -> Odd:
    return Odd(content.encode() if isinstance(content, str) else content, votes, needles, options, name)


def zipped(**files: str) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, text in files.items():
            archive.writestr(zipfile.ZipInfo(name), text)
    return stream.getvalue()


def preflib(*ballots: str, names: str = "ABC") -> str:
    lines = [f"# ALTERNATIVE NAME {place}: {name}" for place, name in enumerate(names, start=1)]
    return "\n".join(["# FILE NAME: x.toc", *lines, *ballots, ""])


FILES = {
    # delimiters and lines
    "spaces between columns": refused("left right outcome\na b left\n", "'left right outcome'", "--columns"),
    "colons between columns": refused("left:right:outcome\na:b:left\n", "'left:right:outcome'"),
    "header with commas, rows with semicolons": refused(LRO + "a;b;left\n", "line 2", "1 field", "header has 3"),
    "header with semicolons, rows with commas": refused("left;right;outcome\na,b,left\n", "line 2", "1 field"),
    "rows with tabs": refused(LRO + "a\tb\tleft\n", "line 2", "1 field"),
    "one row too long": refused(LRO + "a,b,left\na,b,left,x\n", "line 3", "4 fields", "--skip-bad"),
    "one row too short": refused(LRO + "a,b,left\na,b\n", "line 3", "2 fields"),
    "one row too short, left out": read(LRO + "a,b,left\na,b\n", "a>b 1", "1 bad row (line 3", skip_bad=True),
    "trailing commas in rows": refused(LRO + "a,b,left,\n", "line 2", "4 fields"),
    "trailing commas everywhere": read("left,right,outcome,\na,b,left,\n", "a>b 1"),
    "trailing commas, thrice": read("left,right,outcome,,,\na,b,left,,,\n", "a>b 1"),
    "blank lines": read(LRO + "\na,b,left\n\n\n,,\nb,a,left\n\n", "a>b 1; b>a 1"),
    "lines of spaces": read(LRO + "   \na,b,left\n", "a>b 1"),
    "no newline at the end": read(LRO + "a,b,left", "a>b 1"),
    "ends of lines of Windows": read(LRO.strip() + "\r\na,b,left\r\n", "a>b 1"),
    "ends of lines of old Macs": read(LRO.strip() + "\ra,b,left\rb,a,tie\r", "a>b 1; a=b 1"),
    "mixed ends of lines": read(LRO + "a,b,left\r\nb,a,left\ra,b,tie\n", "a>b 1; b>a 1; a=b 1"),
    "Excel's line for the separator": read("sep=;\nleft;right;outcome\na;b;left\n", "a>b 1"),
    "bars": read("left|right|outcome\na|b|left\n", "a>b 1"),
    "a table of Markdown": refused("| left | right | outcome |\n|---|---|---|\n| a | b | left |\n", "line 2"),
    "form feeds": read(LRO + "a,b,left\n\f\n", "a>b 1"),
    # byte order marks and encodings
    "byte order mark": read("\ufeff" + LRO + "a,b,left\n", "a>b 1"),
    "byte order mark in the middle": refused(LRO + "a,b,left\n\ufeffleft,right,outcome\nb,a,left\n", "line 3"),
    "byte order mark before a row": read(
        LRO + "\ufeffa,b,left\na,b,left\n", "a>b 1; \ufeffa>b 1", "nearly the same"
    ),
    "two byte order marks": refused("\ufeff\ufeff" + LRO + "a,b,left\n", "right"),
    "UTF-16": read((LRO + "ä,b,left\n").encode("utf-16"), "ä>b 1"),
    "UTF-16 without a mark": refused((LRO + "a,b,left\n").encode("utf-16-le"), "utf-16-le"),
    "UTF-16 by name": read((LRO + "a,b,left\n").encode("utf-16-le"), "a>b 1", encoding="utf-16-le"),
    "Latin-1": refused((LRO + "Müller,b,left\n").encode("latin-1"), "latin-1", "byte 20"),
    "Latin-1 by name": read((LRO + "Müller,b,left\n").encode("latin-1"), "Müller>b 1", encoding="latin-1"),
    "an encoding that is none": refused(LRO + "a,b,left\n", "utf-9", encoding="utf-9"),
    "UTF-8 cut short": refused((LRO + "a,b,left\nä").encode()[:-1], "byte 28"),
    "cp1252 quotes": refused((LRO + "“a”,b,left\n").encode("cp1252"), "byte 19"),
    # headers
    "empty": refused("", "empty"),
    "spaces alone": refused("  \n\n \n", "empty"),
    "comments alone": refused("# votes\n# more\n", "empty"),
    "header alone": refused(LRO, "no row", "header"),
    "header of a matrix alone": refused("foo,bar\n", "'foo', 'bar'", "--columns"),
    "header twice": refused(LRO + "a,b,left\nleft,right,outcome\nb,a,left\n", "line 3", "header again"),
    "header twice, winners and losers": refused(WL + "a,b\nwinner,loser\nb,a\n", "line 3", "header again"),
    "header twice, left out": read(WL + "a,b\nwinner,loser\nb,a\n", "a>b 1; b>a 1", "1 bad row", skip_bad=True),
    "header in capitals": read("LEFT,Right,OutCome\na,b,left\n", "a>b 1"),
    "header with spaces around": read(" left , right , outcome \na,b,left\n", "a>b 1"),
    "header in quotes": read('"left","right","outcome"\n"a","b","left"\n', "a>b 1"),
    "header with spaces within": read("Model A,Model B,Winner\nx,y,model_a\n", "x>y 1"),
    "header with hyphens": read("model-a,model-b,winner\nx,y,Model B\n", "y>x 1"),
    "header after comments": read("# exported\n# today\n" + LRO + "a,b,left\n", "a>b 1", "2 comment lines"),
    "header that is a comment": refused("# left,right,outcome\na,b,left\n", "'a', 'b', 'left'"),
    "header in the second line": refused("Votes of May\n" + LRO + "a,b,left\n", "'Votes of May'"),
    "units below the header": refused(LRO + "name,name,side\na,b,left\n", "line 2"),
    "no header": refused("a,b,left\nb,a,right\n", "'a', 'b', 'left'", "--columns"),
    "no header, winners and losers": refused("gpt,claude\nclaude,gpt\nclaude,gpt\n", "'gpt', 'claude'"),
    "blank header cells": read(",left,,right,outcome\n1,a,x,b,left\n", "a>b 1"),
    "two columns of one name": refused("left,right,outcome,outcome\na,b,left,right\n", "2 columns", "'outcome'"),
    "two columns of one name, capitals": read("left,Left,right,outcome\na,b,c,left\n", "a>c 1", "Left"),
    "two columns of one name that is not read": read("left,right,outcome,x,x\na,b,left,1,2\n", "a>b 1", "x"),
    "two columns of times": refused("left,right,outcome,date,date\na,b,left,1,2\n", "2 columns", "'date'"),
    "only arms": refused("left,right\na,b\n", "'left', 'right'", "none says who won"),
    "only a winner": refused("winner\na\n", "'winner'", "--columns"),
    "winner without sides": refused("question,winner\nq,a\n", "'question', 'winner'"),
    "one side": refused("left,outcome\na,left\n", "'left', 'outcome'"),
    "names of columns in another language": refused("links,rechts,ergebnis\na,b,links\n", "'links'", "--columns"),
    "names of columns named": read(
        "links,rechts,ergebnis\na,b,links\nb,a,rechts\na,b,tie\n",
        "a>b 2; a=b 1",
        columns={"left": "links", "right": "rechts", "outcome": "ergebnis"},
    ),
    "a column that is not there": refused(LRO + "a,b,left\n", "'judge'", "'outcome'", columns={"voter": "judge"}),
    "a column misspelled": refused(LRO + "a,b,left\n", "did you mean 'outcome'", columns={"outcome": "outcom"}),
    "a role that is none": refused(LRO + "a,b,left\n", "'who'", "left", columns={"who": "left"}),
    "roles that do not go together": refused(
        "w,l,outcome\na,b,left\n", "loser, outcome", columns={"loser": "l", "outcome": "outcome"}
    ),
    "half the roles": refused("x,y,z\na,b,a\n", "left alone", "'x', 'y', 'z'", columns={"left": "x"}),
    "a long header": refused("x" * 100_000 + ",y\n1,2\n3,4\n5,6\n", "xxx"),
    # who won, twice or not at all
    "winner and outcome": refused("left,right,outcome,winner\na,b,left,b\n", "winner, outcome", "--columns"),
    "winner and outcome, one named": read(
        "left,right,outcome,winner\na,b,left,b\n", "a>b 1", "winner", columns={"outcome": "outcome"}
    ),
    "choice and label": refused("left,right,choice,label\na,b,left,b\n", "choice, label"),
    "flags and winner": refused(
        "model_a,model_b,winner_model_a,winner_model_b,winner_tie,winner\na,b,1,0,0,b\n", "winner_model_a, winner"
    ),
    "winner and something called label": read("a,b,winner,label\nx,y,x,good\n", "x>y 1", "label"),
    "winners and losers with ties beside": refused("winner,loser,tie\na,b,1\n", "tie", "0.5"),
    "winners and losers with outcomes": refused("winner,loser,outcome\na,b,left\n", "outcome"),
    "no outcome": refused(LRO + "a,b,\n", "line 2", "outcome", "nothing says who won"),
    "no winner": refused(ABW + "x,y,\n", "line 2", "winner", "'x', 'y'"),
    **{
        f"winner {word}": refused(ABW + f"x,y,x\nx,y,{word}\n", "line 3", "winner", repr(word))
        for word in ("NaN", "None", "null", "NA", "N/A", "#N/A", "-", "?", "skip", "invalid", "z", "X ", "unknown")
        if word != "X "
    },
    "no outcomes, left out": read(LRO + "a,b,left\na,b,\na,b,NA\n", "a>b 1", "2 bad rows", skip_bad=True),
    "no outcome anywhere": refused(LRO + "a,b,\nb,a,\n", "line 2", "no row", skip_bad=True),
    "a winner that did not play": refused(ABW + "x,y,x\nx,y,z\nz,x,z\n", "line 3", "'z'", "'x', 'y'"),
    "a winner in other capitals": refused(ABW + "GPT,Claude,gpt\n", "line 2", "'gpt'", "'GPT', 'Claude'"),
    "a side that is an arm in other capitals": refused(MAB + "B,A,a\n", "line 2", "'a'", "another outcome"),
    "an arm called as the other side": refused(ABW + "b,a,a\n", "line 2", "'a'", "another outcome"),
    "an arm called tie": refused(ABW + "tie,b,tie\n", "line 2", "'tie'", "another outcome"),
    "an arm called left on the right": refused(LRO + "right,left,left\n", "line 2", "'left'", "another outcome"),
    "an arm called left on the left": read(LRO + "left,right,left\n", "left>right 1"),
    "sides of a study whose arms are called so": read(
        "left,right,outcome,status\nright,left,left,counted\n", "right>left 1"
    ),
    # ambiguous codes
    **{
        f"{column} as {'/'.join(codes)}": refused(
            f"left,right,{column}\n" + "".join(f"a,b,{code}\n" for code in codes), column, "either side"
        )
        for column, codes in (
            ("winner", ("0", "1")),
            ("winner", ("1", "2")),
            ("winner", ("0", "1", "2")),
            ("winner", ("-1", "1")),
            ("winner", ("1",)),
            ("choice", ("0", "1")),
            ("choice", ("1", "2")),
            ("label", ("0", "1")),
            ("preference", ("1", "0", "0.0")),
            ("vote", ("1",)),
            ("result", ("0", "1")),
            ("result", ("0", "1", "2")),
            ("outcome", ("1", "2")),
            ("outcome", ("-1", "0", "1")),
            ("outcome", ("0", "1", "2")),
            ("outcome", ("1.0", "2.0")),
            ("choice", ("L",)[:0] or ("2",)),
        )
    },
    "codes are refused even if bad rows are left out": refused(
        "left,right,winner\na,b,1\na,b,2\n", "winner", "either side", skip_bad=True
    ),
    "first and second by number": read("player_1,player_2,winner\na,b,1\na,b,2\nb,a,2\n", "a>b 2; b>a 1"),
    "first and second, and zero": refused("player_1,player_2,winner\na,b,1\na,b,0\n", "winner", "either side"),
    "first, second and X": read("home,away,result\na,b,1\na,b,X\na,b,2\n", "a>b 1; b>a 1; a=b 1"),
    "a choice named as an outcome": read(
        "left,right,choice\na,b,1\na,b,0\na,b,0.25\n", "a>b 1; b>a 1.5; a=b 0.5", columns={"outcome": "choice"}
    ),
    "a choice of the second named": read(
        "left,right,choice\na,b,1\na,b,0\n", "a>b 1; b>a 1", columns={"left": "right", "right": "left", "outcome": "choice"}
    ),
    "scores of chess as numbers": read("white,black,result\na,b,1\na,b,0.5\nb,a,0\n", "a>b 2; a=b 1"),
    "arms called 0 and 1": read(LRO + "0,1,1\n1,0,1\n", "0>1 1; 1>0 1"),
    "winners called 0 and 1": read(ABW + "0,1,1\n1,0,1\n", "1>0 2"),
    "ids of teams": read("team_1,team_2,winner\n12,45,45\n12,7,12\n", "12>7 1; 45>12 1"),
    "ids of teams in a result": read("team_1,team_2,result\n12,45,45\n12,7,12\n", "12>7 1; 45>12 1"),
    "ids of arms in an outcome": refused(LRO + "1,2,1\n2,3,3\n", "outcome", "either side"),
    **{
        f"outcomes {'/'.join(words)}": refused(LRO + "".join(f"a,b,{word}\n" for word in words), "line 2", "outcome")
        for words in (("TRUE", "FALSE"), ("yes", "no"), ("won",), ("80%",), ("*",), ("2-1",), ("a wins",))
        if words != ("won",)
    },
    "an outcome of 7": refused(LRO + "a,b,1\na,b,7\n", "line 3", "'7'"),
    "an outcome of 7, left out": read(LRO + "a,b,1\na,b,7\n", "a>b 1", "1 bad row", skip_bad=True),
    "an outcome of 1.2": refused(LRO + "a,b,0.5\na,b,1.2\n", "line 3", "'1.2'"),
    "an outcome of 1e400": refused(LRO + "a,b,1e400\n", "line 2", "'1e400'"),
    "an outcome with an underscore": refused(LRO + "a,b,0_1\n", "line 2", "'0_1'"),
    "an outcome of nan": refused(LRO + "a,b,nan\n", "line 2", "'nan'"),
    "outcomes with decimal commas": read("left;right;outcome\na;b;0,5\na;b;1,0\na;b;0\n", "a>b 1; b>a 1; a=b 1"),
    "outcomes by degree": read(LRO + "a,b,0.75\nb,a,1e-1\n", "a>b 1.3; a=b 0.7"),
    "outcomes in capitals": read(LRO + "a,b,LEFT\na,b,Right\na,b, TIE \n", "a>b 1; b>a 1; a=b 1"),
    "A alone": refused("team1,team2,result\nx,y,A\n", "result", "'a'", "either side"),
    "A alone at home": read("home,away,result\nx,y,A\n", "y>x 1"),
    "A alone of models": read("model_a,model_b,result\nx,y,A\n", "x>y 1"),
    "A and H of models": refused("model_a,model_b,result\nx,y,A\nx,y,H\n", "result", "'a'"),
    "A, B and H": refused("left,right,result\nx,y,A\nx,y,B\nx,y,H\n", "result", "'a'"),
    "A and D of teams": refused("team1,team2,result\nx,y,A\nx,y,D\n", "'a'", "either side"),
    "L alone": refused("home,away,result\nx,y,L\n", "'l'", "either side"),
    "L and R": read("left,right,choice\nx,y,L\nx,y,R\nx,y,T\n", "x>y 1; y>x 1; x=y 1"),
    "L and W": read("home,away,result\nx,y,L\nx,y,W\nx,y,D\n", "x>y 1; y>x 1; x=y 1"),
    "L and W on the left": refused("left,right,result\nx,y,L\nx,y,W\n", "'l'", "either side"),
    "W and B": read("white,black,result\nx,y,W\nx,y,B\n", "x>y 1; y>x 1"),
    "chess": read("white,black,result\nx,y,1-0\nx,y,0-1\nx,y,1/2-1/2\nx,y,½-½\n", "x>y 1; y>x 1; x=y 2"),
    "chess with dashes and spaces": read("white,black,result\nx,y,1 – 0\nx,y,0–1\n", "x>y 1; y>x 1"),
    "chess, unfinished": refused("white,black,result\nx,y,1-0\nx,y,*\n", "line 3", "'*'"),
    "judges": read(MAB + "x,y,[[A]]\nx,y,[[B]]\nx,y,[[C]]\n", "x>y 1; y>x 1; x=y 1"),
    "judges with strengths": read(
        "model_a,model_b,judgment\nx,y,A>>B\nx,y,A > B\nx,y,B>A\nx,y,A=B\nx,y,B>>A\n", "x>y 2; y>x 2; x=y 1"
    ),
    "arena": read(
        MAB + "x,y,model_a\nx,y,model_b\nx,y,tie\nx,y,tie (bothbad)\nx,y,Tie (Both Bad)\n", "x>y 1; y>x 1; x=y 3"
    ),
    # flags and scores
    "flags": read(
        "model_a,model_b,winner_model_a,winner_model_b,winner_tie\nx,y,1,0,0\nx,y,0,1,0\nx,y,0,0,1\n",
        "x>y 1; y>x 1; x=y 1",
    ),
    "flags as True and False": read(
        "model_a,model_b,winner_model_a,winner_model_b,winner_tie\nx,y,True,False,False\nx,y,0.0,FALSE,1.0\n",
        "x>y 1; x=y 1",
    ),
    "two flags": refused("a,b,winner_a,winner_b\nx,y,1,0\nx,y,1,1\n", "line 3", "winner_a"),
    "no flag": refused("a,b,winner_a,winner_b\nx,y,0,0\n", "line 2", "winner_a, winner_b"),
    "flags with names": refused("a,b,winner_a,winner_b\nx,y,x,\n", "line 2", "winner_a"),
    "scores": read("home_team,away_team,home_score,away_score\nx,y,3,1\nx,y,0,0\nx,y,1,2\n", "x>y 1; y>x 1; x=y 1"),
    "a game not yet played": refused("home_team,away_team,home_score,away_score\nx,y,,\n", "line 2", "home_score"),
    "scores in words": refused("home_team,away_team,home_score,away_score\nx,y,3,one\n", "line 2", "'one'"),
    "scores with thousands": refused("a,b,score_a,score_b\nx,y,900,\"1,500\"\n", "line 2", "'1,500'"),
    "football": read(
        "Div,Date,HomeTeam,AwayTeam,FTHG,FTAG,FTR\nE0,16/11/2026,x,y,2,0,H\nE0,17/11/2026,x,y,1,1,D\n", "x>y 1; x=y 1",
        "2 rows whose 'Date'",
    ),
    # arms
    "an arm against itself": refused(LRO + "a,b,left\na,a,tie\n", "line 3", "'a'", "left"),
    "an arm against itself, left out": read(LRO + "a,b,left\na,a,tie\n", "a>b 1", "1 bad row", skip_bad=True),
    "an arm missing": refused(LRO + ",b,right\n", "line 2", "left", "missing"),
    "an arm missing, left out": read(LRO + ",b,right\na,b,left\n", "a>b 1", "1 bad row", skip_bad=True),
    "an arm of two lines": refused(LRO + 'a,"b\nc",left\n', "line 2", "right", "one line"),
    "an arm of spaces": refused(LRO + "a,   ,left\n", "line 2", "right", "missing"),
    "arms with spaces around": read(LRO + " a ,b\t,left\na,b,right\n", "a>b 1; b>a 1"),
    "arms in other capitals": read(LRO + "GPT,gpt,left\n", "GPT>gpt 1", "nearly the same", "'GPT', 'gpt'"),
    "an arm with a zero width": read(LRO + "a,b\u200b,left\nb,a,left\n", "a>b\u200b 1; b>a 1", "b\\u200b"),
    "accents composed or not": read(LRO + "é,e\u0301,left\n", "é>e\u0301 1", "nearly the same"),
    "names from right to left": read(LRO + "\u202eabc,שלום,left\n", "\u202eabc>שלום 1"),
    "emoji": read(LRO + "👩‍👩‍👧,🤖,right\n", "🤖>👩‍👩‍👧 1"),
    "names with quotes": read(LRO + '"a ""x""",b,left\n', 'a "x">b 1'),
    "names with commas": read(LRO + '"a, b",c,left\n', "a, b>c 1"),
    "names that begin with #": read(LRO + "#f00,#0f0,left\n" * 5, "#f00>#0f0 5"),
    "names that begin with #, two columns": read(WL + "#f00,#0f0\n" * 5, "#f00>#0f0 5"),
    "names that begin with # in quotes": read(WL + '"# 1","# 2"\n', "# 1># 2 1"),
    "comments below": read(WL + "a,b\n# why\nb,a\n", "a>b 1; b>a 1", "1 comment line (line 3)"),
    "numbers as names": read(LRO + "10,9,left\n2,10,left\n", "2>10 1; 10>9 1"),
    "names that seem missing": read(LRO + "None,NaN,left\n", "None>NaN 1"),
    "formulas": read(LRO + "'=1+1,'-x,left\n", "=1+1>-x 1"),
    "a very long name": read(LRO + "x" * 1_000_000 + ",b,right\n", "b>" + "x" * 1_000_000 + " 1"),
    "a very long cell": read("left,right,outcome,why\na,b,left,\"" + "x\n" * 500_000 + "\"\n", "a>b 1"),
    "10,000 arms": refused(LRO + "".join(f"x{n},y{n},left\n" for n in range(5_000)), "10,000", "5,000"),
    "10,000 arms in rankings": refused("ranking\n" + "".join(f"x{n} > y{n}\n" for n in range(5_000)), "10,000 arms"),
    "one arm alone": refused("ranking,count\na > b,0\n", "no ranking"),
    "a tie as an arm": refused(WL + "a,b\ntie,b\n", "line 3", "'tie'", "0.5"),
    "a draw as an arm, left out": read(WL + "a,b\nb,Draw\n", "a>b 1", "1 bad row", skip_bad=True),
    "chosen and rejected": read("prompt,chosen,rejected\np,a,b\n", "a>b 1", "prompt"),
    "chosen and rejected texts": refused('chosen,rejected\n"Yes.\nIndeed.",No\n', "line 2", "chosen"),
    # counts and weights
    "counts": read(WLC + "a,b,3\nb,a,1e0\n", "a>b 3; b>a 1"),
    "a count of 0": read(WLC + "a,b,3\nb,a,0\nc,a,0\n", "a>b 3", "2 rows with a count of 0"),
    "all counts 0": refused(WLC + "a,b,0\n", "counts are 0"),
    "a count missing": read(WLC + "a,b,3\nb,a,\n", "a>b 3; b>a 1", "Without a count: 1 row"),
    "a count of -1": refused(WLC + "a,b,-1\n", "line 2", "count", "'-1'"),
    "a count in words": refused(WLC + "a,b,two\n", "line 2", "count", "'two'"),
    "a count of 1e400": refused(WLC + "a,b,1e400\n", "line 2", "count"),
    "a count of nan": refused(WLC + "a,b,nan\n", "line 2", "count"),
    "a count of 2e15": refused(WLC + "a,b,2e15\n", "line 2", "1e+15"),
    "a count of 1_000": refused(WLC + "a,b,1_000\n", "line 2", "'1_000'"),
    "thousands": refused(WLC + 'a,b,"1,500"\n', "line 2", "'1,500'"),
    "thousands with semicolons": refused("winner;loser;count\na;b;1,500\n", "line 2", "'1,500'"),
    "decimal commas": read("winner;loser;count\na;b;2,5\nb;a;0,5\n", "a>b 2; a=b 1"),
    "half a win": refused(WLC + "a,b,2.5\n", "'a'", "'b'", "0.5", "weight"),
    "a third of a win": refused(WLC + "a,b,.3\n", "line 2", "'.3'", "weight"),
    "half a vote": refused("left,right,outcome,count\na,b,left,0.5\n", "line 2", "'0.5'"),
    "halves each way": read(WLC + "a,b,.5\nb,a,.5\na,b,3\n", "a>b 3; a=b 1"),
    "halves of two voters": refused("winner,loser,count,voter\na,b,.5,x\nb,a,.5,y\n", "other half"),
    "weights": read("winner,loser,weight\na,b,0.3\nb,a,\n", "a>b 1; b>a 1", "Without a weight: 1 row"),
    "a weight of -1": refused("winner,loser,weight\na,b,-1\n", "line 2", "weight", "'-1'"),
    "a weight of -1, left out": read(
        "winner,loser,weight\na,b,-1\na,b,2\n", "a>b 1", "1 bad row", skip_bad=True
    ),
    # statuses, voters, times
    "statuses": read(
        "left,right,outcome,status\na,b,left,counted\na,b,left,Retracted\na,b,,skipped\na,b,left,\n", "a>b 2"
    ),
    "statuses of something else": read("left,right,outcome,status\na,b,left,done\n", "a>b 1", "status"),
    "mixed statuses": refused("left,right,outcome,status\na,b,left,retracted\na,b,left,done\n", "status", "'done'"),
    "statuses of winners": read("winner,loser,status\na,b,counted\na,b,retracted\n", "a>b 1"),
    "an arm listed without a name": refused("left,right,outcome,status\n,,,listed\na,b,left,\n", "line 2", "left"),
    "no vote of a study": read("left,right,outcome,status\na,,,listed\nb,,,listed\n", ""),
    "voters missing": read("left,right,outcome,voter\na,b,left,ann\na,b,left,\n", "a>b 2", "Without a voter: 1 vote"),
    "voters called nan": read("left,right,outcome,voter\na,b,left,nan\na,b,left,nan\n", "a>b 1", "'nan'"),
    "voters twice": read("left,right,outcome,voter\na,b,left,ann\nb,a,left,ann\n", "a>b 1"),
    "dates in milliseconds": read("left,right,outcome,tstamp\na,b,left,1700000000000\n", "a>b 1"),
    "dates of all sorts": read(
        "left,right,outcome,date\na,b,left,16/11/2026\na,b,left,2026-11-16\na,b,left,yesterday\na,b,left,\n",
        "a>b 4", "Without a time: 2 rows", "16/11/2026",
    ),
    "a date of the year 1": read("left,right,outcome,date\na,b,left,0001-01-01T00:00:00Z\n", "a>b 1", "1 row whose"),
    # quotes
    "a quote not closed": refused(LRO + 'a,b,left\na,"b,left\nb,a,left\n', "line 3", "quotes"),
    "a quote not closed, left out": read(LRO + 'a,b,left\na,"b,left\nb,a,left\n', "a>b 1; b>a 1", "1 bad row", skip_bad=True),
    "a quote in the header not closed": refused('left,"right,outcome\na,b,left\n', "line 1", "quotes"),
    "a quote within": read(LRO + 'a,5" disk,left\n', 'a>5" disk 1'),
    "text after a quote": refused(LRO + 'a,"b"c,left\n', "line 2", "quotes"),
    "single quotes": refused("'left','right','outcome'\n'a','b','left'\n", "\"'left'\""),
    # JSON
    "JSON lines": read('{"left": "a", "right": "b", "outcome": "left"}\n', "a>b 1"),
    "fields that come later": read(
        '{"winner": "a", "loser": "b"}\n{"winner": "a", "loser": "b", "count": 40, "voter": "x"}\n', "a>b 2", "Without"
    ),
    "JSON array": read('[{"left": "a", "right": "b", "outcome": 0.5}]', "a=b 1"),
    "JSON columns": read('{"left": ["a", "b"], "right": ["b", "a"], "outcome": [1, 0]}', "a>b 2"),
    "JSON columns of pandas": read('{"winner": {"0": "a", "1": "b"}, "loser": {"0": "b", "1": "a"}}', "a>b 1; b>a 1"),
    "JSON columns in another order": read(
        '{"winner": {"0": "a", "1": "b"}, "loser": {"1": "c", "0": "d"}}', "a>d 1; b>c 1"
    ),
    "JSON columns of other rows": refused('{"winner": {"0": "a", "1": "b"}, "loser": {"2": "c", "0": "d"}}', "loser"),
    "JSON columns of different lengths": refused('{"left": ["a"], "right": ["b", "c"], "outcome": [1]}', "length"),
    "JSON of a trailing comma": refused('[{"winner": "a", "loser": "b"},\n]', "not JSON"),
    "JSON line of a trailing comma": refused('{"winner": "a", "loser": "b"},\n', "line 1", "JSON"),
    "JSON cut short": refused('[{"winner": "a", "loser": "b"},\n{"winner": "b"', "not JSON"),
    "JSON line cut short": refused('{"winner": "a", "loser": "b"}\n{"winner": "b"\n', "line 2", "JSON"),
    "JSON line cut short, left out": read(
        '{"winner": "a", "loser": "b"}\n{"winner": "b"\n', "a>b 1", "1 bad row (line 2", skip_bad=True
    ),
    "JSON with single quotes": refused("{'winner': 'a', 'loser': 'b'}\n", "line 1", "JSON"),
    "JSON with NaN": read('{"winner": "a", "loser": "b", "voter": NaN}\n', "a>b 1"),
    "JSON of numbers": refused("[1, 2]", "record 1"),
    "JSON of lists": refused('[["a", "b", "left"]]', "record 1"),
    "JSON nested": refused('{"votes": [{"winner": "a", "loser": "b"}]}', "'votes'", "--columns"),
    "JSON empty array": refused("[]", "no vote"),
    "JSON empty object": refused("{}", "no vote"),
    "JSON with null": refused('{"winner": "a", "loser": null}\n', "line 1", "loser"),
    "JSON with a field missing": refused('{"winner": "a", "loser": "b"}\n{"winner": "a"}\n', "line 2", "loser"),
    "JSON with a list as arm": refused('{"winner": "a", "loser": ["b"]}\n', "line 1", "loser", "['b']"),
    "JSON with an object as arm": refused('{"winner": {"name": "a"}, "loser": "b"}\n', "line 1", "winner"),
    "JSON with a list as voter": refused('{"winner": "a", "loser": "b", "voter": ["x"]}\n', "line 1", "voter", "['x']"),
    "JSON with a list as voter, left out": read(
        '{"winner": "a", "loser": "b", "voter": ["x"]}\n{"winner": "b", "loser": "a", "voter": "x"}\n',
        "b>a 1", "1 bad row", skip_bad=True,
    ),
    "JSON with a list as item": refused('[{"winner": "a", "loser": "b", "item": {}}]', "record 1", "item"),
    "JSON with a list as time": read('{"winner": "a", "loser": "b", "time": [1]}\n', "a>b 1", "1 row whose 'time'"),
    "JSON with a list as count": refused('{"winner": "a", "loser": "b", "count": [1]}\n', "line 1", "count"),
    "JSON with a list as outcome": refused('{"left": "a", "right": "b", "outcome": ["left"]}\n', "line 1", "outcome"),
    "JSON with booleans": refused('{"left": "a", "right": "b", "outcome": true}\n', "line 1", "outcome", "True"),
    "JSON with a boolean count": refused('{"winner": "a", "loser": "b", "count": true}\n', "line 1", "count", "True"),
    "JSON with a huge count": refused('{"winner": "a", "loser": "b", "count": 1e400}\n', "line 1", "count"),
    "JSON with a huge time": read('{"winner": "a", "loser": "b", "time": 1' + "0" * 400 + "}\n", "a>b 1", "1 row"),
    "JSON with numbers as arms": read('{"winner": 1, "loser": 2.0}\n{"winner": 1.0, "loser": "2"}\n', "1>2 2"),
    "JSON in other capitals": refused('{"winner": "a", "loser": "b"}\n{"Winner": "a", "loser": "b"}\n', "line 2", "winner"),
    "JSON deeply nested": refused("[" * 100_000, "JSON"),
    "JSON lines with a comment": refused('{"winner": "a", "loser": "b"}\n# done\n', "line 2", "JSON"),
    # documents
    "PrefLib": read(preflib("3: 1,2,3", "1: {1,2},3", "2: 3,{1,2}"), "A>B 3; A>C 4; B>C 4; C>A 2; C>B 2; A=B 3", name="x.toc"),
    "PrefLib by its first line": read(preflib("3: 2,1"), "B>A 3", "1 alternative", "'C'"),
    "PrefLib of 2013": refused("3\n1,A\n2,B\n3,C\n5,5,2\n3,1,2,3\n", "line 1", "ALTERNATIVE NAME", name="x.soc"),
    "PrefLib with an unknown alternative": refused(preflib("3: 1,4"), "line 5", "'4'", name="x.soi"),
    "PrefLib with an alternative twice": refused(preflib("3: 1,2,1"), "line 5", "'A'", name="x.soi"),
    "PrefLib with one alternative": read(preflib("3: 1", "1: 1,2", "2:"), "A>B 1", "5 ballots", name="x.soi"),
    "PrefLib with a brace left open": refused(preflib("3: {1,2"), "line 5", name="x.toc"),
    "PrefLib without ballots": refused(preflib(), "no ballot", name="x.soc"),
    "PrefLib with two names": refused(preflib("1: 1,2") + "# ALTERNATIVE NAME 1: Z\n", "alternative 1", name="x.soc"),
    "PrefLib with one name twice": refused(preflib("1: 1,2", names="AAB"), "same name", name="x.soc"),
    "rankings": read("ranking\na > b = c\n", "a>b 1; a>c 1; b=c 1"),
    "a ranking with an arm twice": refused("ranking\na > b > a\n", "line 2", "'a'", "2 times"),
    "a ranking of one arm": refused("ranking\na > b\na\n", "line 3", "'a'"),
    "a ranking with a gap": refused("ranking\na > > b\n", "line 2"),
    "a ranking backwards": refused("ranking\na < b\n", "line 2", "more than one way"),
    "a ranking with commas and signs": refused('ranking\n"a > b, c"\n', "line 2", "more than one way"),
    "a ranking as Python writes lists": refused("ranking\n\"['a', 'b']\"\n", "line 2", "more than one way"),
    "a ranking missing": refused("voter,ranking\nx,\n", "line 2", "missing"),
    "rankings, left out": read("ranking\na > b\nb\n,\n", "a>b 1", "1 bad row", skip_bad=True),
    "a ranking 10,000,001 times": refused("ranking,count\na > b,10000001\n", "10,000,000"),
    "half a ranking": refused("ranking,count\na > b,0.5\n", "line 2", "'0.5'"),
    "ranks": read("rank:a,rank:b,rank:c\n1,2,2\n", "a>b 1; a>c 1; b=c 1"),
    "ranks with gaps": read("rank:a,rank:b,rank:c\n1,,2\n1,,\n,,\n", "a>c 1", "1 ranking of fewer than two arms"),
    **{
        f"a rank of {rank}": refused(f"rank:a,rank:b\n1,2\n1,{rank}\n", "line 3", "rank:b", repr(rank))
        for rank in ("0", "-1", "best", "0.5", "1st", "nan")
    },
    "ranks of one arm": refused("rank:a,voter\n1,x\n", "'rank:a'", "at least two"),
    "ranks of one arm twice": refused("rank:a,rank:a\n1,2\n", "rank:a"),
    "ranks and rankings": refused("ranking,rank:a\na > b,1\n", "ranking", "rank:a"),
    "promptfoo": read(
        '{"results": {"results": [{"provider": {"id": "x"}, "testIdx": 0, "score": 1},'
        '{"provider": {"id": "y"}, "testIdx": 0, "score": 0.5}]}}', "x>y 1", "ranked by their scores"),
    "promptfoo, older": read(
        '{"results": [{"provider": "x", "vars": {"q": 1}, "score": 1}, {"provider": "y", "vars": {"q": 1}, "score": 1},'
        '{"provider": "y", "vars": {"q": 2}, "score": 0, "failureReason": 2}, {"provider": "x", "vars": {"q": 2}, "score": 1}]}',
        "x=y 1", "1 result of providers that failed", "1 test case with one output"),
    "promptfoo without scores": refused('{"results": [{"provider": "x"}, {"provider": "y"}]}', "result 1", "score"),
    "promptfoo with two scores": refused(
        '{"results": [{"provider": "x", "testIdx": 1, "score": 1}, {"provider": "x", "testIdx": 1, "score": 0}]}', "result 2"
    ),
    "promptfoo with something else": refused('{"results": [{"provider": "x", "score": 1}, 3]}', "--columns"),
    # matrices
    "chances": refused("0.5,0.7\n0.3,0.5\n", "chances", "counts"),
    "counts in a matrix": read(",a,b\na,0,3\nb,1,0\n", "a>b 3; b>a 1"),
    "counts in a matrix, ties as halves": read("a,b\n0,2.5\n0.5,0\n", "a>b 2; a=b 1"),
    "a matrix with text": refused("0.5,O.7\n0.3,0.5\n", "line 1, column 2", "'O.7'"),
    "a matrix with a gap": refused(",a,b\na,0.5,\nb,0.3,0.5\n", "line 2, column 3", "''"),
    "a matrix that is not square": refused("a,b,c\n0,1,2\n1,0,2\n", "'a', 'b', 'c'", "K rows of K"),
    "a matrix with decimal commas": read("a;b\n0;2,5\n0,5;0\n", "a>b 2; a=b 1"),
    "a matrix with decimal commas between commas": refused("0,5,0,7\n0,3,0,5\n", "semicolons"),
    "a matrix with names in another order": refused(",a,b\nb,0,3\na,1,0\n", "line 2, column 1", "'b'", "'a'"),
    "a matrix with counts of thirds": refused("0,1.3\n1.7,0\n", "wins[0, 1]", "whole"),
    "a matrix with an arm twice": refused("a,a\n0,3\n1,0\n", "'a'"),
    # no tables
    "HTML": refused("<!DOCTYPE html>\n<html><body>404</body></html>", "HTML"),
    "XML": refused("<?xml version='1.0'?><votes/>", "HTML or XML"),
    "prose": refused("Dear all,\nplease vote.\n", "'Dear all'"),
    "zeros": refused(bytes(1_000), "not a text"),
    "garbage": refused(bytes(range(256)) * 10, "UTF-8"),
    "a picture": refused(b"\x89PNG\r\n\x1a\n" + bytes(100), "byte 0"),
    "gzip": read(gzip.compress((LRO + "a,b,left\n").encode()), "a>b 1", name="votes.csv.gz"),
    "gzip cut short": refused(gzip.compress((LRO + "a,b,left\n").encode())[:-9], "damaged", name="votes.csv.gz"),
    "gzip of nothing": refused(gzip.compress(b""), "empty"),
    "gzip by its first bytes alone": refused(b"\x1f\x8b", "damaged"),
    "zip": refused(zipped(**{"votes.csv": LRO + "a,b,left\n"}), "save it as .csv"),
    "zip cut short": refused(zipped(**{"votes.csv": LRO})[:-10], "save it as .csv"),
    "a workbook of before 2007": refused(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(99), "2007"),
    "Parquet cut short": refused(b"PAR1" + bytes(20), "damaged"),
    "Arrow cut short": refused(b"ARROW1\0\0" + bytes(20), "damaged"),
    "SQLite": refused(b"SQLite format 3\0" + bytes(99), "not a text"),
    "a pickle": refused(b"\x80\x04\x95", "byte 0"),
}
