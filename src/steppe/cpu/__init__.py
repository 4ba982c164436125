"""Engines on the CPU: they do what a plan says, by the native core, and decide nothing that changes which algorithm runs."""
