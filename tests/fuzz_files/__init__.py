"""Fuzzers of everything that reads files: ``make fuzz-files``, or ``python -m fuzz_files`` from this folder's parent.

Two of them. ``native.cpp`` gives texts to the parsers of the C++ core, under libFuzzer with sanitizers, and compares with a
naive parser: some ten thousand texts a second. The other one (``runner.py``) writes whole files of every format, reads them
with :func:`steppe.read` in child processes and searches the graphs that come back: ``seeds.py`` makes the first files,
``mutate.py`` damages bytes, ``shapes.py`` damages what stands behind checksums, ``check.py`` judges. Where Atheris is
installed, ``guided.py`` lets coverage choose the mutations.
"""
