"""Headings of .csv and .tsv files: read, in any order; refused where they leave a choice."""

import pytest

import steppe as sp
from steppe.files import heading
from test_files import arcs, put

ROADS = [(1, 2, 5), (2, 3, 7)]
PLAIN = [(1, 2), (2, 3)]
NAMED = [("Bonn", "Kiel", 7), ("Ulm", "Bonn", 5)]

GOOD = {
    # name: (file name, content, arcs)
    "weight first": ("x.csv", "weight,source,target\n5,1,2\n7,2,3\n", ROADS),
    "edge id": ("x.csv", "edge_id,from,to\n90,1,2\n91,2,3\n", PLAIN),
    "edge id, weight": ("x.csv", "id,to,from,km\n90,2,1,5\n91,3,2,7\n", ROADS),
    "swapped": ("x.csv", "target,source\n2,1\n3,2\n", PLAIN),
    "more columns": ("x.csv", "name,u,v,surface,length_m\nA,1,2,dirt road,5\nB 1,2,3,,7\n", ROADS),
    "quoted extras": ("x.csv", 'u,v,street,cost\n1,2,"a, ""b""",5\n2,3,"",7\n', ROADS),
    "quoted heading": ("x.csv", '"Origin","Dest","Travel Time"\n1,2,5\n2,3,7\n', ROADS),
    "an index without a name": ("x.csv", ",source,target\n0,1,2\n1,2,3\n", PLAIN),
    "semicolons": ("x.csv", "w;dst;src\r\n5 ; 2 ;1\r\n7;3;2\r\n", ROADS),
    "tabs": ("x.tsv", "cost\tnode1\tnode2\tname\n5\t1\t2\tMain Street\n7\t2\t3\t\n", ROADS),
    "blanks": ("x.csv", "weight source target\n5 1 2\n7  2 3\n", ROADS),
    "comments": ("x.csv", "# a\nweight,source,target\n# b\n5,1,2\n\n// c\n7,2,3", ROADS),
    "floats": ("x.csv", "weight,source,target\n5.0,1,2\n7.5,2,3\n", [(1, 2, 5.0), (2, 3, 7.5)]),
    "no suffix": ("x.data", "weight,source,target\n5,1,2\n7,2,3\n", ROADS),
    "names": ("x.csv", "km,from,to\n5,Ulm,Bonn\n7,Bonn,Kiel\n", NAMED),
    "names, more columns": ("x.csv", 'id,to,from,km,road\n1,Bonn,Ulm,5,"A, 8"\n2,Kiel,Bonn,7,\n', NAMED),
    "alone": ("x.csv", "weight,source,target\n", []),
}


@pytest.mark.parametrize("name", GOOD)
def test_columns_are_what_the_heading_says(tmp_path, name):
    file, content, expected = GOOD[name]
    assert arcs(sp.read(put(tmp_path, file, content))) == expected


def test_a_long_table(tmp_path):
    rows = [(i % 97, i, i + 1) for i in range(200_000)]
    content = "weight,id,source,target\n" + "".join(f"{w},x{u},{u},{v}\n" for w, u, v in rows)
    assert arcs(sp.read(put(tmp_path, "x.csv", content))) == [(u, v, w) for w, u, v in rows]


BAD = {
    # name: (content, line, words of the message)
    "two weights": ("source,target,length,time\n1,2,5,6\n", 1, "which column is the weight: 'length' and 'time'"),
    "two sources": ("source_id,source_name,target\n1,a,2\n", 1, "which column is the source"),
    "no target": ("source,weight,cost_centre\n1,2,3\n", 1, "cannot tell"),
    "unknown words": ("a,b,w\n1,2,3\n", 1, "'a,b,w'.*expected a heading such as source,target,weight"),
    "a weight or not": ("source,target,lanes\n1,2,5\n", 1, "whether 'lanes' is a weight"),
    "names or a heading": ("Ulm,Bonn\nBonn,Kiel\n", 1, "cannot tell"),
    "the way edges go": ("Source,Target,Type,Weight\n1,2,Undirected,5\n", 1, "'Type' may say which way"),
    "too few": ("weight,source,target\n5,1,2\n7,2\n", 3, "as many columns as the heading"),
    "too many": ("weight,source,target\n5,1,2\n7,2,3,4\n", 3, "as many columns as the heading"),
    "plain, too many": ("source,target\n1,2,5\n", 2, "2 columns"),
    "plain, too few": ("source,target,weight\n1,2\n", 2, "3 columns"),
    "names, too many": ("km,from,to\n5,Ulm,Bonn\n7,Bonn,Kiel,8\n", 3, "expected 3 columns"),
    "no number": ("weight,source,target\n5,1,2\nx,2,3\n", 3, "expected a weight"),
    "open quote": ('name,source,target,weight\n"x,1,2,5\n', 2, "expected"),
    "a thousand columns": ("source,target" + ",x" * 5000 + "\n", 1, "at most 1000 columns"),
    "names, a thousand columns": ("source,target\na" + ",b" * 5000 + "\n", 2, "expected 2 columns"),
    "names, quoted, a thousand columns": ('source,target\n"a"' + ",b" * 5000 + "\n", 2, "expected 2 columns"),
    "empty id": ("weight,source,target\n5,,2\n", 2, "vertex"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_not_clear_is_refused(tmp_path, name):
    content, line, words = BAD[name]
    with pytest.raises(sp.FormatError, match=words) as caught:
        sp.read(put(tmp_path, "x.csv", content))
    assert caught.value.line == line


def test_a_column_for_the_direction_is_skipped_when_the_caller_knows(tmp_path):
    path = put(tmp_path, "x.csv", "Source,Target,Type,Weight\n1,2,Undirected,5\n")
    assert arcs(sp.read(path, directed=False)) == [(1, 2, 5), (2, 1, 5)]
    assert arcs(sp.read(path, directed=True)) == [(1, 2, 5)]


def test_no_word_means_two_things():
    groups = [heading._SOURCE, heading._TARGET, heading._WEIGHT, heading._SKIPPED, heading._DIRECTION]
    assert len(set().union(*groups)) == sum(map(len, groups))
    for letter, words in zip("stw->", groups, strict=True):
        assert {heading.role(word) for word in words} == {letter}
