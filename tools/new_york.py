"""Draw docs/new-york.png: how far 5, 10, 15 and 20 km of road lead from Times Square.

    python tools/new_york.py USA-road-d.NY.gr.gz USA-road-d.NY.co.gz docs/new-york.png

The files are those of the 9th DIMACS Implementation Challenge; lengths are tenths of a metre. It needs steppe[plot,geo].
"""

import io
import sys
from pathlib import Path

import numpy as np
from PIL import Image

import steppe as sp

graph, places, out = sys.argv[1:]
g = sp.read(graph, coordinates=places)
source = g.nearest_vertex(-73.9857, 40.7580)
reached = sp.isochrones(g, source, [50_000, 100_000, 150_000, 200_000]).verify()
names = ["5 km", "10 km", "15 km", "20 km"]
axes = reached.plot(names=names, title="From Times Square\nby road, within")
axes.get_legend().set_alignment("left")
drawn = io.BytesIO()
axes.figure.savefig(drawn, format="png", dpi=105)
# A palette makes the file a quarter of its size: the colours of the bands, of the star, of text and of roads beyond, each in shades up to white.
colours = [patch.get_facecolor()[:3] for patch in axes.get_legend().get_patches()]
colours += [(0.835, 0.369, 0.0), (0.0, 0.0, 0.0), (0.8, 0.8, 0.8)]
shades = [[round(255 * (1 + t * (part - 1))) for part in rgb] for rgb in colours for t in np.linspace(0, 1, 8)]
palette = Image.new("P", (1, 1))
palette.putpalette(np.ravel(shades).tolist())
Image.open(drawn).convert("RGB").quantize(palette=palette, dither=Image.Dither.NONE).save(out, optimize=True)
size = Path(out).stat().st_size
print(f"{out}: {size / 1000:.0f} kB; vertices within: {dict(zip(names, reached.counts(), strict=True))}")
