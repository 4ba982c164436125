"""Prepared: what is made from a graph once, so that later calls cost less. It never changes an answer."""
