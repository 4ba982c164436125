"""Measurements: steppe beside other libraries, every answer checked before it is timed. Start with ``python -m benchmarks.run --help``."""
