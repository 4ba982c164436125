"""Searches over the parts of a graph: by this process in turn, or by the workers of a cluster."""
