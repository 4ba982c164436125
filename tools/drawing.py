"""Draw plain SVG: lines, rectangles, circles and words, nothing that a reader would have to load or trust."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

INK, PALE, EDGE, RED, BLUE = "#1f2933", "#e8ebef", "#9aa5b1", "#d1495b", "#30638e"
STOPS = ("#440154", "#414487", "#2a788e", "#22a884", "#7ad151", "#fde725")
"""Six colours from dark to light whose brightness rises evenly, so that they read without colour vision and in print."""


def shade(share: float) -> str:
    """Return the colour of a number between 0 and 1.

    >>> shade(0), shade(0.1), shade(1)
    ('#440154', '#42226e', '#fde725')
    """
    at = min(max(share, 0.0), 1.0) * (len(STOPS) - 1)
    low = min(int(at), len(STOPS) - 2)
    pair = [[int(stop[i : i + 2], 16) for i in (1, 3, 5)] for stop in STOPS[low : low + 2]]
    return "#" + "".join(f"{int(a + (b - a) * (at - low)):02x}" for a, b in zip(*pair, strict=True))


class Drawing:
    """A sheet that is drawn on and saved."""

    def __init__(self, width: int, height: int, title: str) -> None:
        self.width, self.height, self.title = width, height, title
        self.parts: list[str] = []

    def line(self, points: Iterable[tuple[float, float]], colour: str = INK, width: float = 1.5) -> None:
        """Draw a line through points."""
        text = " ".join(f"{x:.4g},{y:.4g}" for x, y in points)
        self.parts.append(f'<polyline points="{text}" fill="none" stroke="{colour}" stroke-width="{width:g}"/>')

    def strokes(self, pairs: Iterable[tuple[float, float, float, float]], colour: str, width: float = 1.5) -> None:
        """Draw many short lines of one colour, as one path."""
        text = "".join(f"M{a:.4g} {b:.4g}l{c - a:.3g} {d - b:.3g}" for a, b, c, d in pairs)
        if text:
            self.parts.append(f'<path d="{text}" stroke="{colour}" stroke-width="{width:g}"/>')

    def box(self, x: float, y: float, width: float, height: float, fill: str, edge: str = "none") -> None:
        """Draw a filled rectangle."""
        self.parts.append(
            f'<rect x="{x:.4g}" y="{y:.4g}" width="{width:.4g}" height="{height:.4g}" fill="{fill}" stroke="{edge}"/>'
        )

    def cells(self, corners: Iterable[tuple[float, float]], size: float, fill: str) -> None:
        """Draw many squares of one colour, as one path."""
        text = "".join(f"M{x:.4g} {y:.4g}h{size:g}v{size:g}h-{size:g}z" for x, y in corners)
        if text:
            self.parts.append(f'<path d="{text}" fill="{fill}" shape-rendering="crispEdges"/>')

    def dot(self, x: float, y: float, radius: float, fill: str, edge: str = "none") -> None:
        """Draw a filled circle."""
        self.parts.append(f'<circle cx="{x:.4g}" cy="{y:.4g}" r="{radius:g}" fill="{fill}" stroke="{edge}"/>')

    def words(self, x: float, y: float, text: str, *, size: int = 13, anchor: str = "start", colour: str = INK) -> None:
        """Write a line of text."""
        self.parts.append(
            f'<text x="{x:.4g}" y="{y:.4g}" font-size="{size}" text-anchor="{anchor}" fill="{colour}">{escape(text)}</text>'
        )

    def key(self, x: float, y: float, entries: Iterable[tuple[str, str]]) -> None:
        """Write what colours mean, in a row."""
        at = x
        for colour, text in entries:
            self.box(at, y - 10, 12, 12, colour)
            self.words(at + 17, y, text, size=12)
            at += 30 + 6.6 * len(text)

    def save(self, path: Path) -> None:
        """Write the file."""
        head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" width="{self.width}" height="{self.height}"'
        style = 'font-family="system-ui, sans-serif" role="img" fill="none" stroke-linecap="round"'
        ground = (
            f'<title>{escape(self.title)}</title>\n<rect width="{self.width}" height="{self.height}" fill="#ffffff"/>'
        )
        path.write_text("\n".join([f"{head} {style}>", ground, *self.parts, "</svg>", ""]), encoding="utf-8")
