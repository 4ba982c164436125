"""``python -m steppe``: the command line."""

from .cli import main

main()
