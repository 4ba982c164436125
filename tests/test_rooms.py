"""Rooms: who may use whom. The tables stand in the code's own words; here they are held to what the files include."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_includes_go_down():
    """Headers of cpp/ include their own room and those that cpp/README.md names beside it; every room is in the table."""
    rows = re.findall(r"^\| `(\w+)/` \|.*\|([^|]*)\|$", (ROOT / "cpp" / "README.md").read_text(), re.MULTILINE)
    rooms = {name for name, _ in rows}
    assert rooms == {path.name for path in (ROOT / "cpp").iterdir() if path.is_dir()}
    allowed = {name: rooms if "all" in below else {name, *re.findall(r"`(\w+)`", below)} for name, below in rows}
    order = [name for name, _ in rows]
    for name in rooms - {"bindings"}:  # so that nobody writes a circle into the table
        assert all(order.index(below) <= order.index(name) for below in allowed[name]), name
    seen = 0
    for path in (ROOT / "cpp").rglob("*.[hc]pp"):
        room = path.relative_to(ROOT / "cpp").parts[0]
        assert path.parent == ROOT / "cpp" / room, path
        text = path.read_text()
        for included in re.findall(r'#include "([^"]+)"', text):
            assert (ROOT / "cpp" / included).is_file(), f"{path} includes {included}, which is not written from cpp/"
            assert included.split("/")[0] in allowed[room], f"{path} includes {included}: a room above it, or beside it"
            seen += 1
        namespace = "steppe" if room == "base" else f"steppe::{room}"
        assert f"namespace {namespace} {{" in text or path.name == "module.cpp", f"{path} is not in {namespace}"
    assert seen > 100
