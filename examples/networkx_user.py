"""A NetworkX user's job: a graph of a city's streets, its distances, its centre, its other ways; one argument more than before."""

import networkx as nx

nx.config.warnings_to_ignore.add("cache")  # the graph does not change below, so its conversion may be kept

city = nx.grid_2d_graph(60, 60)  # nodes are pairs: labels of any kind stay what they are
nx.set_edge_attributes(city, {edge: 1 + sum(edge[0]) % 7 for edge in city.edges}, "minutes")
home, work = (0, 0), (59, 59)

minutes = nx.single_source_dijkstra_path_length(city, home, weight="minutes", backend="steppe")
assert minutes == nx.single_source_dijkstra_path_length(city, home, weight="minutes")
print(f"{len(minutes):,} corners, the furthest {max(minutes.values())} minutes away")

path = nx.shortest_path(city, home, work, weight="minutes", backend="steppe")
print(f"to work in {nx.path_weight(city, path, 'minutes')} minutes, {len(path) - 1} streets")

near = nx.closeness_centrality(city, backend="steppe")
print("diameter", nx.diameter(city, backend="steppe"), "and the middle at", max(near, key=near.get))
cells = nx.voronoi_cells(city, {(5, 5), (50, 9), (30, 50)}, weight="minutes", backend="steppe")
print("corners nearest to each of three schools:", {school: len(cell) for school, cell in cells.items()})
