"""Windows ends of lines (CR LF) in every text format: the same graph as with plain ones."""

import numpy as np
import pytest

import steppe as sp
from test_files import put

WINDOWS = {
    "x.txt": "# c\n\n1 2 3\n2 3 4.5\n",
    "x.el": "0 1\n1 0\n",
    "x.wel": "0 1 7\n1 0 8\n",
    "x.csv": 'source,target,km\n"Rye, NY",Ulm,3\nUlm,Bonn,4\n',
    "y.csv": "from;to;km\n1;2;3,5\n2;3;4\n",
    "x.tsv": "source\ttarget\tweight\n1\t2\t3\n",
    "x.gr": "c steppe: undirected\np sp 2 2\na 1 2 7\na 2 1 7\n",
    "y.gr": "p tw 3 1\n1 3\n",
    "x.mtx": "%%MatrixMarket matrix coordinate real general\n% c\n3 3 2\n1 2 0.5\n2 3 1e-3\n",
    "y.mtx": "%%MatrixMarket matrix array real general\n2 2\n0\n1.5\n2\n0\n",
    "x.graph": "% c\n3 2 1\n2 5\n1 5 3 6\n2 6\n",
    "x.adj": "1 2 3\n2 3\n5\n",
    "x.net": '% c\n*Vertices 3\n1 "a"\n2 "b" 0.1 0.2\n3 "c"\n*Arcs\n1 2 3\n*Edges\n2 3 1.5\n',
    "y.net": "*Vertices 2\n*Matrix\n0 5\n1 0\n",
    "x.tntp": "<NUMBER OF ZONES> 2\n<NUMBER OF NODES> 3\n<FIRST THRU NODE> 3\n<NUMBER OF LINKS> 2\n<END OF METADATA>\n~ c\n"
    "\t1\t3\t9000\t5\t6\t0.15\t4\t0\t0\t1\t;\n\t3\t2\t9000\t5.5\t6\t0.15\t4\t0\t0\t1\t;\n",
    "x.graphml": '<?xml version="1.0"?>\n<graphml>\n<key id="d" for="edge" attr.name="weight" attr.type="double"/>\n<graph edgedefault="directed">\n'
    '<node id="a"/>\n<node id="b"/>\n<edge source="a" target="b">\n<data key="d">\n1.5\n</data>\n</edge>\n</graph>\n</graphml>\n',
}


@pytest.mark.parametrize("name", WINDOWS)
def test_windows_ends_of_lines(tmp_path, name):
    """The same graph, the same weights and names; also where the last line has no end."""
    g = sp.read(put(tmp_path, name, WINDOWS[name]))
    dos = WINDOWS[name].replace("\n", "\r\n")
    for content in (dos, dos.removesuffix("\r\n"), dos.removesuffix("\n"), dos + "\r\n"):
        if name == "x.graph" and content == dos + "\r\n":
            continue  # METIS: an empty line is a vertex without neighbours
        back = sp.read(put(tmp_path, name, content.encode()))
        assert np.array_equal(back.indptr, g.indptr)
        assert np.array_equal(back.indices, g.indices)
        assert (back.weights is None) == (g.weights is None)
        assert g.weights is None or np.array_equal(back.weights, g.weights)
        assert (back.labels is None) == (g.labels is None)
        assert g.labels is None or back.labels.tolist() == g.labels.tolist()
        assert back.directed == g.directed


def test_windows_ends_in_pairs_of_files(tmp_path):
    put(tmp_path, "x.v", b"1\r\n2\r\n9\r\n")
    put(tmp_path, "x.properties", b"graph.x.directed = false\r\n")
    g = sp.read(put(tmp_path, "x.e", b"1 2 5\r\n"))
    assert (g.labels.tolist(), g.directed) == ([1, 2, 9], False)
    put(tmp_path, "x.co", b"c places\r\np aux sp co 2\r\nv 1 -73530767 41085396\r\nv 2 -73530538 41086098\r\n")
    assert sp.files.read_coordinates(tmp_path / "x.co").tolist() == [[-73530767, 41085396], [-73530538, 41086098]]
