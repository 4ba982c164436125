"""Check the built site: every link within it leads somewhere, and it loads nothing from elsewhere. ``python tools/site.py build/site``.

Links to other sites are counted and, with ``--external``, listed; nobody is asked whether they still answer.
"""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADS = {("img", "src"), ("script", "src"), ("link", "href"), ("iframe", "src"), ("source", "src"), ("object", "data")}
"""Attributes whose address a browser asks for by itself."""


class Page(HTMLParser):
    """One page: what can be pointed at in it, what it points at, and what it loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the tag's id and addresses."""
        for key, value in attrs:
            if value is None:
                continue
            if key in {"id", "name"}:
                self.anchors.add(value)
            elif (tag, key) in LOADS:
                self.loads.append(value)
            elif (tag, key) == ("a", "href"):
                self.links.append(value)


def check(folder: Path) -> tuple[list[str], list[str]]:
    """Return what is wrong with a site, and its links to others."""
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in sorted(folder.rglob("*.html"))}
    wrong = [] if pages else [f"{folder}: no pages"]
    external = set()
    for path, page in pages.items():
        here = path.relative_to(folder)
        for address in page.links + page.loads:
            parts = urlsplit(address)
            if parts.scheme in {"mailto", "data"}:
                continue
            if parts.scheme or parts.netloc:
                external.add(address)
                if address in page.loads:
                    wrong.append(f"{here}: loads {address}")
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.is_file():
                wrong.append(f"{here}: {address} leads nowhere")
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].anchors:
                wrong.append(f"{here}: {address} has no such place")
    for style in folder.rglob("*.css"):
        wrong += [
            f"{style.name}: loads {word[:60]}"
            for word in style.read_text(encoding="utf-8").split("url(")[1:]
            if word.lstrip("\"'").startswith(("http:", "https:", "//"))
        ]
    return wrong, sorted(external)


if __name__ == "__main__":
    site = Path(sys.argv[1]).resolve()
    problems, others = check(site)
    if "--external" in sys.argv:
        print(*others, sep="\n")
    print(*problems, sep="\n", end="\n" if problems else "")
    print(
        f"{len(list(site.rglob('*.html')))} pages, {len(others)} links to other sites, {len(problems)} problems: {site / 'index.html'}"
    )
    sys.exit(bool(problems))
