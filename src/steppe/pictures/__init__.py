"""Pictures: arrays of places, edges and numbers onto the axes of matplotlib, and into polygons. Nothing here knows graphs."""
