"""Pictures: arrays of places, edges and numbers onto the axes of matplotlib, and into polygons. This room has never heard of graphs."""
