"""A table of links between towns: distances, the rows of the table on the way, and answers as tables."""

import numpy as np
import pandas as pd

import steppe as sp

rng, count = np.random.default_rng(1), 100_000
towns = np.array([f"{i:05d}" for i in range(20_000)])  # "00042" stays a name
links = pd.DataFrame({"origin": rng.choice(towns, count), "dest": rng.choice(towns, count)})
links["km"], links["bridges"] = rng.integers(1, 90, count), rng.integers(0, 3, count)
links.loc[::5_000, "km"] = None  # some rows are incomplete
graph = sp.Graph.from_frame(links, "origin", "dest", "km", directed=False, attributes=["bridges"], missing="drop")
print(f"{len(graph):,} towns, {'00042' in graph}, {len(graph.neighbors('00042'))} links from 00042")

paths = sp.sssp(graph, "00042").verify()
table = paths.to_frame().assign(bridges=paths.along("bridges")[paths.reachable])
print(table.nlargest(3, "distance"))
way = links.iloc[paths.edge_ids("19999")]  # rows of the table we had
print(way, way.km.sum() == paths.distance("19999"))
print(sp.nearest(graph, ["00001", "00002", "00003"]).to_frame().groupby("source").distance.agg(["size", "mean"]))
print(sp.distances(graph, ["00001", "00002"], ["00003", "00004"], along=["bridges"]).to_frame())
