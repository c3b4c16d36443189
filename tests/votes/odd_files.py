"""Bad and odd files from practice: their content, and the error or the votes they must yield.

Each has content and options, and either the facts that its error must name, or the votes that are read, as
`tally_of` prints them, and the facts that the notes must name.
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
    facts: tuple[str, ...]
    options: dict[str, Any]
    name: str


def refused(content: str | bytes, *facts: str, name: str = "votes.csv", **options: Any) -> Odd:
    return Odd(content.encode() if isinstance(content, str) else content, None, facts, options, name)


def read(content: str | bytes, votes: str, *facts: str, name: str = "votes.csv", **options: Any) -> Odd:
    return Odd(content.encode() if isinstance(content, str) else content, votes, facts, options, name)


def zipped(**files: str) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, text in files.items():
            archive.writestr(zipfile.ZipInfo(name), text)
    return stream.getvalue()


def preflib(*ballots: str, names: str = "ABC") -> str:
    lines = [f"# ALTERNATIVE NAME {index}: {name}" for index, name in enumerate(names, start=1)]
    return "\n".join(["# FILE NAME: x.toc", *lines, *ballots, ""])


def promptfoo(*results: str, nested: bool = False) -> str:
    rows = ", ".join(f'{{"provider": {result}}}' for result in results)
    return f'{{"results": {{"results": [{rows}]}}}}' if nested else f'{{"results": [{rows}]}}'


FILES = [
    # delimiters and lines
    refused("left right outcome\na b left\n", "'left right outcome'", "--columns"),
    refused("left:right:outcome\na:b:left\n", "'left:right:outcome'"),
    refused(LRO + "a;b;left\n", "line 2", "1 field", "3"),
    refused("left;right;outcome\na,b,left\n", "line 2", "1 field"),
    refused(LRO + "a\tb\tleft\n", "line 2", "1 field"),
    refused(LRO + "a,b,left\na,b,left,x\n", "line 3", "4 fields", "--skip-bad"),
    refused(LRO + "a,b,left\na,b\n", "line 3", "2 fields"),
    read(LRO + "a,b,left\na,b\n", "a>b 1", "1 bad row (line 3", skip_bad=True),
    refused(LRO + "a,b,left,\n", "line 2", "4 fields"),
    read("left,right,outcome,\na,b,left,\n", "a>b 1"),
    read("left,right,outcome,,,\na,b,left,,,\n", "a>b 1"),
    read(LRO + "\na,b,left\n\n\n,,\nb,a,left\n\n", "a>b 1; b>a 1"),
    read(LRO + "   \na,b,left\n", "a>b 1"),
    read(LRO + "a,b,left", "a>b 1"),
    read(LRO.strip() + "\r\na,b,left\r\n", "a>b 1"),
    read(LRO.strip() + "\ra,b,left\rb,a,tie\r", "a>b 1; a=b 1"),
    read(LRO + "a,b,left\r\nb,a,left\ra,b,tie\n", "a>b 1; b>a 1; a=b 1"),
    read("sep=;\nleft;right;outcome\na;b;left\n", "a>b 1"),
    read("left|right|outcome\na|b|left\n", "a>b 1"),
    refused("| left | right | outcome |\n|---|---|---|\n| a | b | left |\n", "line 2"),
    read(LRO + "a,b,left\n\f\n", "a>b 1"),
    # byte order marks and encodings
    read("\ufeff" + LRO + "a,b,left\n", "a>b 1"),
    refused(LRO + "a,b,left\n\ufeffleft,right,outcome\nb,a,left\n", "line 3"),
    read(LRO + "\ufeffa,b,left\na,b,left\n", "a>b 1; \ufeffa>b 1", "'\\ufeffa'"),
    refused("\ufeff\ufeff" + LRO + "a,b,left\n", "right"),
    read((LRO + "ä,b,left\n").encode("utf-16"), "ä>b 1"),
    refused((LRO + "a,b,left\n").encode("utf-16-le"), "utf-16-le"),
    read((LRO + "a,b,left\n").encode("utf-16-le"), "a>b 1", encoding="utf-16-le"),
    refused((LRO + "Müller,b,left\n").encode("latin-1"), "latin-1", "byte 20"),
    read((LRO + "Müller,b,left\n").encode("latin-1"), "Müller>b 1", encoding="latin-1"),
    refused(LRO + "a,b,left\n", "utf-9", encoding="utf-9"),
    refused((LRO + "a,b,left\nä").encode()[:-1], "byte 28"),
    refused((LRO + "“a”,b,left\n").encode("cp1252"), "byte 19"),
    # headers
    refused("", "empty"),
    refused("  \n\n \n", "empty"),
    refused("# votes\n# more\n", "empty"),
    refused(LRO, "header", "vote"),
    refused("foo,bar\n", "'foo', 'bar'", "--columns"),
    refused(LRO + "a,b,left\nleft,right,outcome\nb,a,left\n", "line 3", "left", "header"),
    refused(WL + "a,b\nwinner,loser\nb,a\n", "line 3", "winner", "header"),
    read(WL + "a,b\nwinner,loser\nb,a\n", "a>b 1; b>a 1", "1 bad row", skip_bad=True),
    read("LEFT,Right,OutCome\na,b,left\n", "a>b 1"),
    read(" left , right , outcome \na,b,left\n", "a>b 1"),
    read('"left","right","outcome"\n"a","b","left"\n', "a>b 1"),
    read("Model A,Model B,Winner\nx,y,model_a\n", "x>y 1"),
    read("model-a,model-b,winner\nx,y,Model B\n", "y>x 1"),
    read("# exported\n# today\n" + LRO + "a,b,left\n", "a>b 1", "2 comment lines"),
    refused("# left,right,outcome\na,b,left\n", "'a', 'b', 'left'"),
    refused("Votes of May\n" + LRO + "a,b,left\n", "'Votes of May'"),
    refused(LRO + "name,name,side\na,b,left\n", "line 2"),
    refused("a,b,left\nb,a,right\n", "'a', 'b', 'left'", "--columns"),
    refused("gpt,claude\nclaude,gpt\nclaude,gpt\n", "'gpt', 'claude'"),
    read(",left,,right,outcome\n1,a,x,b,left\n", "a>b 1"),
    refused("left,right,outcome,outcome\na,b,left,right\n", "2 columns", "'outcome'"),
    read("left,Left,right,outcome\na,b,c,left\n", "a>c 1", "Left"),
    read("left,right,outcome,x,x\na,b,left,1,2\n", "a>b 1", "x"),
    refused("left,right,outcome,date,date\na,b,left,1,2\n", "2 columns", "'date'"),
    refused("left,right\na,b\n", "'left', 'right'", "outcome=COLUMN"),
    refused("winner\na\n", "'winner'", "--columns"),
    refused("question,winner\nq,a\n", "'question', 'winner'"),
    refused("left,outcome\na,left\n", "'left', 'outcome'"),
    refused("links,rechts,ergebnis\na,b,links\n", "'links'", "--columns"),
    read(
        "links,rechts,ergebnis\na,b,links\nb,a,rechts\na,b,tie\n",
        "a>b 2; a=b 1",
        columns={"left": "links", "right": "rechts", "outcome": "ergebnis"},
    ),
    refused(LRO + "a,b,left\n", "'judge'", "'outcome'", columns={"voter": "judge"}),
    refused(LRO + "a,b,left\n", "'outcom'", "'outcome'", columns={"outcome": "outcom"}),
    refused(LRO + "a,b,left\n", "'who'", "left", columns={"who": "left"}),
    refused("w,l,outcome\na,b,left\n", "loser, outcome", columns={"loser": "l", "outcome": "outcome"}),
    refused("x,y,z\na,b,a\n", "left", "'x', 'y', 'z'", columns={"left": "x"}),
    refused("x" * 100_000 + ",y\n1,2\n3,4\n5,6\n", "'" + 59 * "x"),
    # who won, twice or not at all
    refused("left,right,outcome,winner\na,b,left,b\n", "winner, outcome", "--columns"),
    read("left,right,outcome,winner\na,b,left,b\n", "a>b 1", "winner", columns={"outcome": "outcome"}),
    refused("left,right,choice,label\na,b,left,b\n", "choice, label"),
    refused(
        "model_a,model_b,winner_model_a,winner_model_b,winner_tie,winner\na,b,1,0,0,b\n",
        "winner_model_a, winner",
    ),
    read("a,b,winner,label\nx,y,x,good\n", "x>y 1", "label"),
    refused("winner,loser,tie\na,b,1\n", "tie", "0.5"),
    refused("winner,loser,outcome\na,b,left\n", "outcome"),
    refused(LRO + "a,b,\n", "line 2", "outcome"),
    refused(ABW + "x,y,\n", "line 2", "winner", "'x', 'y'"),
    *(
        refused(ABW + f"x,y,x\nx,y,{word}\n", "line 3", "winner", repr(word))
        for word in ("NaN", "None", "null", "NA", "N/A", "#N/A", "-", "?", "skip", "invalid", "z", "unknown")
    ),
    read(LRO + "a,b,left\na,b,\na,b,NA\n", "a>b 1", "2 bad rows", skip_bad=True),
    refused(LRO + "a,b,\nb,a,\n", "line 2", "outcome", skip_bad=True),
    refused(ABW + "x,y,x\nx,y,z\nz,x,z\n", "line 3", "'z'", "'x', 'y'"),
    refused(ABW + "GPT,Claude,gpt\n", "line 2", "'gpt'", "'GPT', 'Claude'"),
    refused(MAB + "B,A,a\n", "line 2", "winner", "'a'"),
    refused(ABW + "b,a,a\n", "line 2", "winner", "'a'"),
    refused(ABW + "tie,b,tie\n", "line 2", "winner", "'tie'"),
    refused(LRO + "right,left,left\n", "line 2", "outcome", "'left'"),
    read(LRO + "left,right,left\n", "left>right 1"),
    read("left,right,outcome,status\nright,left,left,counted\n", "right>left 1"),
    # ambiguous codes
    *(
        refused(
            f"left,right,{column}\na,b," + codes.replace("/", "\na,b,"), column, repr(codes.split("/")[0])
        )
        for column, every in {
            "winner": ("0/1", "1/2", "0/1/2", "-1/1", "1"),
            "outcome": ("1/2", "-1/0/1", "0/1/2", "1.0/2.0"),
            "result": ("0/1", "0/1/2"),
            "choice": ("0/1", "1/2", "2"),
            "label": ("0/1", "1/left"),
            "preference": ("1/0/0.0", "0.5/1"),
            "vote": ("1",),
        }.items()
        for codes in every
    ),
    refused("left,right,winner\na,b,1\na,b,2\n", "winner", "'1'", "'2'", skip_bad=True),
    read("player_1,player_2,winner\na,b,1\na,b,2\nb,a,2\n", "a>b 2; b>a 1"),
    refused("player_1,player_2,winner\na,b,1\na,b,0\n", "winner", "'1'", "'0'"),
    read("home,away,result\na,b,1\na,b,X\na,b,2\n", "a>b 1; b>a 1; a=b 1"),
    read(
        "left,right,choice\na,b,1\na,b,0\na,b,0.25\n",
        "a>b 1; b>a 1.5; a=b 0.5",
        columns={"outcome": "choice"},
    ),
    read(
        "left,right,choice\na,b,1\n",
        "b>a 1",
        columns={"left": "right", "right": "left", "outcome": "choice"},
    ),
    read("white,black,result\na,b,1\na,b,0.5\nb,a,0\n", "a>b 2; a=b 1"),
    read(LRO + "0,1,1\n1,0,1\n", "0>1 1; 1>0 1"),
    read(ABW + "0,1,1\n1,0,1\n", "1>0 2"),
    read("team_1,team_2,winner\n12,45,45\n12,7,12\n", "12>7 1; 45>12 1"),
    read("team_1,team_2,result\n12,45,45\n12,7,12\n", "12>7 1; 45>12 1"),
    refused(LRO + "1,2,1\n2,3,3\n", "outcome", "'1'", "'3'"),
    *(
        refused(LRO + "".join(f"a,b,{word}\n" for word in words), "line 2", "outcome")
        for words in (("TRUE", "FALSE"), ("yes", "no"), ("80%",), ("*",), ("2-1",), ("a wins",))
    ),
    refused(LRO + "a,b,1\na,b,7\n", "line 3", "'7'"),
    read(LRO + "a,b,1\na,b,7\n", "a>b 1", "1 bad row", skip_bad=True),
    refused(LRO + "a,b,0.5\na,b,1.2\n", "line 3", "'1.2'"),
    refused(LRO + "a,b,1e400\n", "line 2", "'1e400'"),
    refused(LRO + "a,b,0_1\n", "line 2", "'0_1'"),
    refused(LRO + "a,b,nan\n", "line 2", "'nan'"),
    read("left;right;outcome\na;b;0,5\na;b;1,0\na;b;0\n", "a>b 1; b>a 1; a=b 1"),
    read(LRO + "a,b,0.75\nb,a,1e-1\n", "a>b 1.3; a=b 0.7"),
    read(LRO + "a,b,LEFT\na,b,Right\na,b, TIE \n", "a>b 1; b>a 1; a=b 1"),
    refused("team1,team2,result\nx,y,A\n", "result", "'a'"),
    read("home,away,result\nx,y,A\n", "y>x 1"),
    read("model_a,model_b,result\nx,y,A\n", "x>y 1"),
    refused("model_a,model_b,result\nx,y,A\nx,y,H\n", "result", "'a'"),
    refused("left,right,result\nx,y,A\nx,y,B\nx,y,H\n", "result", "'a'"),
    refused("team1,team2,result\nx,y,A\nx,y,D\n", "result", "'a'"),
    refused("home,away,result\nx,y,L\n", "result", "'l'"),
    read("left,right,choice\nx,y,L\nx,y,R\nx,y,T\n", "x>y 1; y>x 1; x=y 1"),
    read("home,away,result\nx,y,L\nx,y,W\nx,y,D\n", "x>y 1; y>x 1; x=y 1"),
    refused("left,right,result\nx,y,L\nx,y,W\n", "result", "'l'"),
    read("white,black,result\nx,y,W\nx,y,B\n", "x>y 1; y>x 1"),
    read("white,black,result\nx,y,1-0\nx,y,0-1\nx,y,1/2-1/2\nx,y,½-½\n", "x>y 1; y>x 1; x=y 2"),
    read("white,black,result\nx,y,1 \u2013 0\nx,y,0\u20131\n", "x>y 1; y>x 1"),
    refused("white,black,result\nx,y,1-0\nx,y,*\n", "line 3", "'*'"),
    read(MAB + "x,y,[[A]]\nx,y,[[B]]\nx,y,[[C]]\n", "x>y 1; y>x 1; x=y 1"),
    read(
        "model_a,model_b,judgment\nx,y,A>>B\nx,y,A > B\nx,y,B>A\nx,y,A=B\nx,y,B>>A\n", "x>y 2; y>x 2; x=y 1"
    ),
    read(
        MAB + "x,y,model_a\nx,y,model_b\nx,y,tie\nx,y,tie (bothbad)\nx,y,Tie (Both Bad)\n",
        "x>y 1; y>x 1; x=y 3",
    ),
    # flags and scores
    read(
        "model_a,model_b,winner_model_a,winner_model_b,winner_tie\nx,y,1,0,0\nx,y,0,1,0\nx,y,0,0,1\n",
        "x>y 1; y>x 1; x=y 1",
    ),
    read(
        "model_a,model_b,winner_model_a,winner_model_b,winner_tie\nx,y,True,False,False\nx,y,0.0,FALSE,1.0\n",
        "x>y 1; x=y 1",
    ),
    refused("a,b,winner_a,winner_b\nx,y,1,0\nx,y,1,1\n", "line 3", "winner_a"),
    refused("a,b,winner_a,winner_b\nx,y,0,0\n", "line 2", "winner_a, winner_b"),
    refused("a,b,winner_a,winner_b\nx,y,x,\n", "line 2", "winner_a"),
    read("home_team,away_team,home_score,away_score\nx,y,3,1\nx,y,0,0\nx,y,1,2\n", "x>y 1; y>x 1; x=y 1"),
    refused("home_team,away_team,home_score,away_score\nx,y,,\n", "line 2", "home_score"),
    refused("home_team,away_team,home_score,away_score\nx,y,3,one\n", "line 2", "'one'"),
    refused('a,b,score_a,score_b\nx,y,900,"1,500"\n', "line 2", "'1,500'"),
    read(
        "Div,Date,HomeTeam,AwayTeam,FTHG,FTAG,FTR\nE0,16/11/2026,x,y,2,0,H\nE0,17/11/2026,x,y,1,1,D\n",
        "x>y 1; x=y 1",
        "2 rows whose 'Date'",
    ),
    # arms
    refused(LRO + "a,b,left\na,a,tie\n", "line 3", "'a'", "left"),
    read(LRO + "a,b,left\na,a,tie\n", "a>b 1", "1 bad row", skip_bad=True),
    refused(LRO + ",b,right\n", "line 2", "left"),
    read(LRO + ",b,right\na,b,left\n", "a>b 1", "1 bad row", skip_bad=True),
    refused(LRO + 'a,"b\nc",left\n', "line 2", "right", r"'b\nc'"),
    refused(LRO + "a,   ,left\n", "line 2", "right"),
    read(LRO + " a ,b\t,left\na,b,right\n", "a>b 1; b>a 1"),
    read(LRO + "GPT,gpt,left\n", "GPT>gpt 1", "'GPT', 'gpt'"),
    read(LRO + "a,b\u200b,left\nb,a,left\n", "a>b\u200b 1; b>a 1", "b\\u200b"),
    refused(LRO + "é,e\u0301,left\n", "line 2", "right", "'\u00e9'"),
    read(LRO + "\u202eabc,שלום,left\n", "\u202eabc>שלום 1"),
    read(LRO + "👩‍👩‍👧,🤖,right\n", "🤖>👩‍👩‍👧 1"),
    read(LRO + '"a ""x""",b,left\n', 'a "x">b 1'),
    read(LRO + '"a, b",c,left\n', "a, b>c 1"),
    read(LRO + "#f00,#0f0,left\n" * 5, "#f00>#0f0 5"),
    read(WL + "#f00,#0f0\n" * 5, "#f00>#0f0 5"),
    read(WL + '"# 1","# 2"\n', "# 1># 2 1"),
    read(WL + "a,b\n# why\nb,a\n", "a>b 1; b>a 1", "1 comment line (line 3)"),
    read(LRO + "10,9,left\n2,10,left\n", "2>10 1; 10>9 1"),
    read(LRO + "None,NaN,left\n", "None>NaN 1"),
    read(LRO + "'=1+1,'-x,left\n", "=1+1>-x 1"),
    read(LRO + "x" * 1_000_000 + ",b,right\n", "b>" + "x" * 1_000_000 + " 1"),
    read('left,right,outcome,why\na,b,left,"' + "x\n" * 500_000 + '"\n', "a>b 1"),
    refused(LRO + "".join(f"x{n},y{n},left\n" for n in range(5_000)), "10,000", "5,000"),
    refused("ranking\n" + "".join(f"x{n} > y{n}\n" for n in range(5_000)), "10,000 arms"),
    refused("ranking,count\na > b,0\n", "ranking"),
    refused(WL + "a,b\ntie,b\n", "line 3", "'tie'", "0.5"),
    read(WL + "a,b\nb,Draw\n", "a>b 1", "1 bad row", skip_bad=True),
    read("prompt,chosen,rejected\np,a,b\n", "a>b 1", "prompt"),
    refused('chosen,rejected\n"Yes.\nIndeed.",No\n', "line 2", "chosen"),
    # counts and weights
    read(WLC + "a,b,3\nb,a,1e0\n", "a>b 3; b>a 1"),
    read(WLC + "a,b,3\nb,a,0\nc,a,0\n", "a>b 3", "2 rows with a count of 0"),
    refused(WLC + "a,b,0\n", "counts", "0"),
    read(WLC + "a,b,3\nb,a,\n", "a>b 3; b>a 1", "count", "1 row"),
    refused(WLC + "a,b,-1\n", "line 2", "count", "'-1'"),
    refused(WLC + "a,b,two\n", "line 2", "count", "'two'"),
    refused(WLC + "a,b,1e400\n", "line 2", "count"),
    refused(WLC + "a,b,nan\n", "line 2", "count"),
    refused(WLC + "a,b,2e15\n", "line 2", "1e+15"),
    refused(WLC + "a,b,1_000\n", "line 2", "'1_000'"),
    refused(WLC + 'a,b,"1,500"\n', "line 2", "'1,500'"),
    refused("winner;loser;count\na;b;1,500\n", "line 2", "'1,500'"),
    read("winner;loser;count\na;b;2,5\nb;a;0,5\n", "a>b 2; a=b 1"),
    refused(WLC + "a,b,2.5\n", "'a'", "'b'", "0.5", "weight"),
    refused(WLC + "a,b,.3\n", "line 2", "'.3'", "weight"),
    refused("left,right,outcome,count\na,b,left,0.5\n", "line 2", "'0.5'"),
    read(WLC + "a,b,.5\nb,a,.5\na,b,3\n", "a>b 3; a=b 1"),
    refused("winner,loser,count,voter\na,b,.5,x\nb,a,.5,y\n", "'a'", "'b'", "weight=count"),
    read("winner,loser,weight\na,b,0.3\nb,a,\n", "a>b 1; b>a 1", "weight", "1 row"),
    refused("winner,loser,weight\na,b,-1\n", "line 2", "weight", "'-1'"),
    read("winner,loser,weight\na,b,-1\na,b,2\n", "a>b 1", "1 bad row", skip_bad=True),
    # statuses, voters, times
    read(
        "left,right,outcome,status\na,b,left,counted\na,b,left,Retracted\na,b,,skipped\na,b,left,\n", "a>b 2"
    ),
    read("left,right,outcome,status\na,b,left,done\n", "a>b 1", "status"),
    refused("left,right,outcome,status\na,b,left,retracted\na,b,left,done\n", "status", "'done'"),
    read("winner,loser,status\na,b,counted\na,b,retracted\n", "a>b 1"),
    refused("left,right,outcome,status\n,,,listed\na,b,left,\n", "line 2", "left"),
    read("left,right,outcome,status\na,,,listed\nb,,,listed\n", ""),
    read("left,right,outcome,voter\na,b,left,ann\na,b,left,\n", "a>b 2", "voter", "1 vote"),
    read("left,right,outcome,voter\na,b,left,nan\na,b,left,nan\n", "a>b 1", "'nan'"),
    read("left,right,outcome,voter\na,b,left,ann\nb,a,left,ann\n", "a>b 1"),
    read("left,right,outcome,tstamp\na,b,left,1700000000000\n", "a>b 1"),
    read(
        "left,right,outcome,date\na,b,left,16/11/2026\na,b,left,2026-11-16\na,b,left,yesterday\na,b,left,\n",
        "a>b 4",
        "time",
        "2 rows",
        "16/11/2026",
    ),
    read("left,right,outcome,date\na,b,left,0001-01-01T00:00:00Z\n", "a>b 1", "1 row whose"),
    # quotes
    refused(LRO + 'a,b,left\na,"b,left\nb,a,left\n', "line 3", "quotes"),
    read(LRO + 'a,b,left\na,"b,left\nb,a,left\n', "a>b 1; b>a 1", "1 bad row", skip_bad=True),
    refused('left,"right,outcome\na,b,left\n', "line 1", "quotes"),
    read(LRO + 'a,5" disk,left\n', 'a>5" disk 1'),
    refused(LRO + 'a,"b"c,left\n', "line 2", "quotes"),
    refused("'left','right','outcome'\n'a','b','left'\n", "\"'left'\""),
    # JSON
    read('{"left": "a", "right": "b", "outcome": "left"}\n', "a>b 1"),
    read(
        '{"winner": "a", "loser": "b"}\n{"winner": "a", "loser": "b", "count": 40, "voter": "x"}\n',
        "a>b 2",
        "voter",
        "count",
    ),
    read('[{"left": "a", "right": "b", "outcome": 0.5}]', "a=b 1"),
    read('{"left": ["a", "b"], "right": ["b", "a"], "outcome": [1, 0]}', "a>b 2"),
    read('{"winner": {"0": "a", "1": "b"}, "loser": {"0": "b", "1": "a"}}', "a>b 1; b>a 1"),
    read('{"winner": {"0": "a", "1": "b"}, "loser": {"1": "c", "0": "d"}}', "a>d 1; b>c 1"),
    refused('{"winner": {"0": "a", "1": "b"}, "loser": {"2": "c", "0": "d"}}', "loser"),
    refused('{"left": ["a"], "right": ["b", "c"], "outcome": [1]}', "'left'", "'right'"),
    refused('[{"winner": "a", "loser": "b"},\n]', "JSON"),
    refused('{"winner": "a", "loser": "b"},\n', "line 1", "JSON"),
    refused('[{"winner": "a", "loser": "b"},\n{"winner": "b"', "JSON"),
    refused('{"winner": "a", "loser": "b"}\n{"winner": "b"\n', "line 2", "JSON"),
    read('{"winner": "a", "loser": "b"}\n{"winner": "b"\n', "a>b 1", "1 bad row (line 2", skip_bad=True),
    refused("{'winner': 'a', 'loser': 'b'}\n", "line 1", "JSON"),
    read('{"winner": "a", "loser": "b", "voter": NaN}\n', "a>b 1"),
    refused("[1, 2]", "record 1"),
    refused('[["a", "b", "left"]]', "record 1"),
    refused('{"votes": [{"winner": "a", "loser": "b"}]}', "'votes'", "--columns"),
    refused("[]", "vote"),
    refused("{}", "vote"),
    refused('{"winner": "a", "loser": null}\n', "line 1", "loser"),
    refused('{"winner": "a", "loser": "b"}\n{"winner": "a"}\n', "line 2", "loser"),
    refused('{"winner": "a", "loser": ["b"]}\n', "line 1", "loser", "['b']"),
    refused('{"winner": {"name": "a"}, "loser": "b"}\n', "line 1", "winner"),
    refused('{"winner": "a", "loser": "b", "voter": ["x"]}\n', "line 1", "voter", "['x']"),
    read(
        '{"winner": "a", "loser": "b", "voter": ["x"]}\n{"winner": "b", "loser": "a", "voter": "x"}\n',
        "b>a 1",
        "1 bad row",
        skip_bad=True,
    ),
    refused('[{"winner": "a", "loser": "b", "item": {}}]', "record 1", "item"),
    read('{"winner": "a", "loser": "b", "time": [1]}\n', "a>b 1", "1 row whose 'time'"),
    refused('{"winner": "a", "loser": "b", "count": [1]}\n', "line 1", "count"),
    refused('{"left": "a", "right": "b", "outcome": ["left"]}\n', "line 1", "outcome"),
    refused('{"left": "a", "right": "b", "outcome": true}\n', "line 1", "outcome", "True"),
    refused('{"winner": "a", "loser": "b", "count": true}\n', "line 1", "count", "True"),
    refused('{"winner": "a", "loser": "b", "count": 1e400}\n', "line 1", "count"),
    read('{"winner": "a", "loser": "b", "time": 1' + "0" * 400 + "}\n", "a>b 1", "1 row"),
    read('{"winner": 1, "loser": 2.0}\n{"winner": 1.0, "loser": "2"}\n', "1>2 2"),
    refused('{"winner": "a", "loser": "b"}\n{"Winner": "a", "loser": "b"}\n', "line 2", "winner"),
    refused("[" * 100_000, "JSON"),
    refused('{"winner": "a", "loser": "b"}\n# done\n', "line 2", "JSON"),
    # documents
    read(
        preflib("3: 1,2,3", "1: {1,2},3", "2: 3,{1,2}"),
        "A>B 3; A>C 4; B>C 4; C>A 2; C>B 2; A=B 3",
        name="x.toc",
    ),
    read(preflib("3: 2,1"), "B>A 3", "1 alternative", "'C'"),
    refused("3\n1,A\n2,B\n3,C\n5,5,2\n3,1,2,3\n", "line 1", "ALTERNATIVE NAME", name="x.soc"),
    refused(preflib("3: 1,4"), "line 5", "'4'", name="x.soi"),
    refused(preflib("3: 1,2,1"), "line 5", "'A'", name="x.soi"),
    read(preflib("3: 1", "1: 1,2", "2:"), "A>B 1", "5 ballots", name="x.soi"),
    refused(preflib("3: {1,2"), "line 5", name="x.toc"),
    refused(preflib(), "1: 1,2", name="x.soc"),
    refused(preflib("1: 1,2") + "# ALTERNATIVE NAME 1: Z\n", "alternative 1", name="x.soc"),
    refused(preflib("1: 1,2", names="AAB"), "name", name="x.soc"),
    read("ranking\na > b = c\n", "a>b 1; a>c 1; b=c 1"),
    refused("ranking\na > b > a\n", "line 2", "'a'", "2 times"),
    refused("ranking\na > b\na\n", "line 3", "'a'"),
    refused("ranking\na > > b\n", "line 2"),
    refused("ranking\na < b\n", "line 2", "'a < b'"),
    refused('ranking\n"a > b, c"\n', "line 2", "'a > b, c'"),
    refused("ranking\n\"['a', 'b']\"\n", "line 2", "\"['a', 'b']\""),
    refused("voter,ranking\nx,\n", "line 2", "ranking"),
    read("ranking\na > b\nb\n,\n", "a>b 1", "1 bad row", skip_bad=True),
    refused("ranking,count\na > b,10000001\n", "10,000,000"),
    refused("ranking,count\na > b,0.5\n", "line 2", "'0.5'"),
    read("rank:a,rank:b,rank:c\n1,2,2\n", "a>b 1; a>c 1; b=c 1"),
    read("rank:a,rank:b,rank:c\n1,,2\n1,,\n,,\n", "a>c 1", "1 ranking"),
    *(
        refused(f"rank:a,rank:b\n1,2\n1,{rank}\n", "line 3", "rank:b", repr(rank))
        for rank in ("0", "-1", "best", "0.5", "1st", "nan")
    ),
    refused("rank:a,voter\n1,x\n", "'rank:a'"),
    refused("rank:a,rank:a\n1,2\n", "rank:a"),
    refused("ranking,rank:a\na > b,1\n", "ranking", "rank:a"),
    read(
        promptfoo(
            '{"id": "x"}, "testIdx": 0, "score": 1', '{"id": "y"}, "testIdx": 0, "score": 0.5', nested=True
        ),
        "x>y 1",
        "score",
    ),
    read(
        promptfoo(
            *('"x", "vars": {"q": 1}, "score": 1', '"y", "vars": {"q": 1}, "score": 1'),
            *('"x", "vars": {"q": 2}, "score": 1', '"y", "vars": {"q": 2}, "score": 0, "failureReason": 2'),
        ),
        "x=y 1",
        "1 result",
        "1 test case",
    ),
    refused(promptfoo('"x"', '"y"'), "result 1", "score"),
    refused(promptfoo(*['"x", "testIdx": 1, "score": 1'] * 2), "result 2"),
    refused(promptfoo('"x", "testIdx": 1, "score": 1'), "test case"),
    refused('{"results": [{"provider": "x", "score": 1}, 3]}', "--columns"),
    # matrices
    refused("0.5,0.7\n0.3,0.5\n", "counts"),
    read(",a,b\na,0,3\nb,1,0\n", "a>b 3; b>a 1"),
    read("a,b\n0,2.5\n0.5,0\n", "a>b 2; a=b 1"),
    refused("0.5,O.7\n0.3,0.5\n", "line 1, column 2", "'O.7'"),
    refused(",a,b\na,0.5,\nb,0.3,0.5\n", "line 2, column 3", "''"),
    refused("a,b,c\n0,1,2\n1,0,2\n", "'a', 'b', 'c'", "K rows of K"),
    read("a;b\n0;2,5\n0,5;0\n", "a>b 2; a=b 1"),
    refused("0,5,0,7\n0,3,0,5\n", "2 rows", "4 numbers"),
    refused(",a,b\nb,0,3\na,1,0\n", "line 2, column 1", "'b'", "'a'"),
    refused("0,1.3\n1.7,0\n", "wins[0, 1]", "1.3"),
    refused("a,a\n0,3\n1,0\n", "'a'"),
    # no tables
    refused("<!DOCTYPE html>\n<html><body>404</body></html>", "HTML"),
    refused("<?xml version='1.0'?><votes/>", "XML"),
    refused("Dear all,\nplease vote.\n", "'Dear all'"),
    refused(bytes(1_000), "votes.csv"),
    refused(bytes(range(256)) * 10, "UTF-8"),
    refused(b"\x89PNG\r\n\x1a\n" + bytes(100), "byte 0"),
    read(gzip.compress((LRO + "a,b,left\n").encode(), mtime=0), "a>b 1", name="votes.csv.gz"),
    refused(gzip.compress((LRO + "a,b,left\n").encode(), mtime=0)[:-9], "damaged", name="votes.csv.gz"),
    refused(gzip.compress(b"", mtime=0), "empty"),
    refused(b"\x1f\x8b", "damaged"),
    refused(zipped(**{"votes.csv": LRO + "a,b,left\n"}), ".csv"),
    refused(zipped(**{"votes.csv": LRO})[:-10], ".csv"),
    refused(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(99), "2007"),
    refused(b"PAR1" + bytes(20), "damaged"),
    refused(b"ARROW1\0\0" + bytes(20), "damaged"),
    refused(b"SQLite format 3\0" + bytes(99), "votes.csv"),
    refused(b"\x80\x04\x95", "byte 0"),
]
