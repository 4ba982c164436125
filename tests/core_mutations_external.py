"""Seeded bugs of cpp/external: the pull over plain rows; see core_mutations.py."""

from core_mutations import Mutation

EXTERNAL = [
    Mutation(
        "pull over plain rows: edges that are just light enough are left out",
        "blocks",
        "external/pull_plain.hpp",
        "return low + static_cast<D>(in_.weight(e)) < d;",
        "return low + 2 * static_cast<D>(in_.weight(e)) < d;",
    ),
    Mutation(
        "pull over plain rows: light edges before a full batch go to the next vertex",
        "blocks",
        "external/pull_plain.hpp",
        "close(batch, v);\n                compare(batch, part, waiting, fallen);",
        "compare(batch, part, waiting, fallen);",
    ),
    Mutation(
        "pull over plain rows: what falls is not told on",
        "blocks",
        "external/pull_plain.hpp",
        "word |= bit;",
        ";",
    ),
    Mutation(
        "pull over plain rows: calibers are too large",
        "blocks",
        "external/pull_plain.hpp",
        "calibers_[v] = least;",
        "calibers_[v] = least + 5;",
    ),
    Mutation(
        "pull over plain rows: the lightest edge is taken for a loop",
        "blocks",
        "external/pull_plain.hpp",
        "du + static_cast<D>(calibers_[group[j]])",
        "du",
    ),
    Mutation(
        "bins: plain rows are pulled over from the other end",
        "blocks",
        "external/bins.hpp",
        "in ? &in->csr : nullptr",
        "in ? &g.csr : nullptr",
    ),
]
