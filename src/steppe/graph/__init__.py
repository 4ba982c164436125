"""The graph: rows, labels and what follows from them. It knows nothing of searches; those come to it."""
