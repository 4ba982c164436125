"""How far one gets in 5, 10 and 15 minutes: a map, polygons and a table, of a generated city or of a file of OpenStreetMap.

python examples/isochrones.py [city.osm.pbf LON LAT]
"""

import json
import sys
from pathlib import Path

import steppe as sp

if len(sys.argv) == 4:
    city, scale = sp.read(sys.argv[1], profile="car", largest_component=True), 1  # weights are seconds
    start = city.nearest_vertex(float(sys.argv[2]), float(sys.argv[3]))
else:
    city, scale = sp.generate.road(100_000, metric="time", seed=7), 10  # tenths of a second
    start = city.nearest_vertex(16_000, 16_000)  # metres
minutes = [5, 10, 15]
reached = sp.isochrones(city, start, [m * 60 * scale for m in minutes]).verify()
print(f"crossings within {minutes} minutes: {reached.counts()}")
print(reached.to_frame().groupby("limit").distance.describe()[["count", "max"]])
reached.plot(names=[f"{m} min" for m in minutes]).figure.savefig("isochrones.png", dpi=150)
Path("isochrones.geojson").write_text(reached.to_geojson())
features = json.loads(Path("isochrones.geojson").read_text())["features"]
print(f"isochrones.png and isochrones.geojson: {len(features)} polygons, the largest first")
