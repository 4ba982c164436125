"""Every Python process that a test starts imports this first: conftest.py puts this folder on PYTHONPATH."""

import unknown_processor

unknown_processor.watch()
