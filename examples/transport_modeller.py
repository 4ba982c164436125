"""Skims of a city: seconds between zones, metres and tolls along the quickest ways, an isochrone, and what a closure costs."""

import numpy as np
import polars as pl

import steppe as sp

rng = np.random.default_rng(2)
u, v, metres = sp.generate.road(50_000, seed=3).edges()
seconds = np.maximum(1, metres * rng.integers(5, 12, len(u)) // 100)
streets = pl.DataFrame({"a": u, "b": v, "metres": metres, "s": seconds})
streets = streets.with_columns(toll=rng.choice([0.0, 1.5], len(u), p=[0.95, 0.05]))
city = sp.Graph.from_frame(streets, "a", "b", "s", directed=False, attributes=["metres", "toll"])
zones = rng.choice(len(city), 200, replace=False)
skims = sp.distances(city, zones, zones, along=["metres", "toll"])
print(skims.to_frame().head(3), f"mean toll {skims['toll'][skims.reachable].mean():.2f}")

quarter = sp.sssp(city, zones[0], cutoff=900, reverse=True)
print(f"{quarter.reachable.sum():,} crossings from where zone {zones[0]} is within 15 minutes")
route = sp.route(city, zones[0], zones[1]).verify()
closed = city.without_edges(route.edge_ids[40:42])  # two streets on the way
detour = sp.distances(closed, [zones[0]], [zones[1]], unreachable=np.nan)[0, 0] - route.distance
print(streets[route.edge_ids].head(3), f"the closure costs {detour:.0f} s")
shortest = sp.route(city.with_weights("metres"), zones[0], zones[1])
print(f"shortest instead of quickest: {shortest.distance} of {route.along('metres')} m")
