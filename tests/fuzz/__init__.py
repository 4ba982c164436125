"""The answer fuzzer: every public call × every pair of options, on small nasty graphs, against an oracle of plain Python numbers.

    make fuzz                                     half an hour on all cores, from a random seed
    make fuzz SECONDS=60 SEED=7                   a minute, again and again the same
    python -m fuzz --seed 7 --graphs 500          (in tests/) a number of graphs instead of a time
    python -m fuzz --seed 7 --seconds 60 --part networkx     one part alone

How it works, one file each:

- ``cases.py``      a case is a graph as a list of edges, how it is built, and the questions asked of it; plain data, JSON and back;
- ``shapes.py``     makes graphs: loops, parallel edges, hubs, rings, isolated vertices; now and then large enough for many threads;
- ``weights.py``    makes weights: at the ends of every type, where sums leave it, where floats round, lose or overflow;
- ``pairs.py``      covering arrays: few rows of options in which every pair of options occurs;
- ``questions.py``  the options of every call, turned into questions (a cutoff "at a distance" needs a distance);
- ``truth.py``      the oracle. It shares no line with the product: Dijkstra or Bellman-Ford in Python's own numbers;
- ``expect.py``     what the documentation promises of a question: the right array, or the errors allowed;
- ``attempt.py``    calls steppe: the answer, or the error that is due;
- ``ask.py``        asks the questions of searches, matrices and routes;
- ``look.py``       compares type, shape, every bit; then the proof, the tree, and that a damaged answer is refused;
- ``roundtrip.py``  writes the graph in every format and reads it again;
- ``parts.py``      the parts of the fuzzer, of which all this is the first; each of the others makes, asks and prints cases of its own:
- ``facades.py``    ``facade_csgraph.py`` against SciPy, ``facade_networkx.py`` and ``…_compare.py`` against NetworkX: every function;
- ``matrices.py``   every form of a matrix with every other option: pairs, reduce, predecessors, sparse, along, distance_blocks(), files and folders;
- ``resumed.py``    a matrix on the disk is interrupted, and continued by the same question or another one: the same bits, or an error;
- ``lists.py``      k_shortest_paths, all_shortest_paths and nearest(k=, offsets=) against all simple paths and searches from each source;
- ``damaged.py``    partitions whose files were changed: an error or the same answer;
- ``nasty.py``      makes the graphs of the last four;
- ``worker.py``     a process that makes and asks cases, and notes in a shared file which question is next;
- ``runner.py``     starts workers, sees crashes and hangs, counts; ``__main__.py`` is its command line;
- ``minimise.py``   makes a failing case small: fewer questions, edges, options, simpler numbers;
- ``program.py``    prints a case as a program to run;
- ``broken.py``     damages steppe on purpose, so that tests/test_fuzz.py can show that every kind of failure is found.

A case follows from the seed and a number alone, so whatever fails can be made again. An answer counts when its whole result was compared.
A question that must fail (a method that cannot take negative weights, a sum beyond 64 bits) counts too: the error must be the documented one.
What a facade declines is no answer; the report tells how many of its calls those are.

What rounding of floats means: distances are the least over all paths of the sums from left to right, each rounded to the weights' type.
Rounding is monotone, so Dijkstra's order finds them, and the comparison is bit for bit. Negative floats are chosen such that their sums are exact.
"""
