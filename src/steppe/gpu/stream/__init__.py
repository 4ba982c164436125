"""Searches on a device that does not hold the edges: one loop for all methods, and the parts, slots and passes it is made of."""
