"""Seeded bugs of searches on several threads (core_mutations.py tells how)."""

from core_mutations import Mutation

THREADS = [
    Mutation(
        "letters: a full letter is lost",
        "threads",
        "search/letters.hpp",
        "if (i + 1 == Letter<V, D>::kSize) post_.send(to, std::exchange(letter, nullptr));",
        "if (i + 1 == Letter<V, D>::kSize) letter->count = 0;",
    ),
    Mutation(
        "letters: word for a bucket that has been read is filed there",
        "threads",
        "search/letters.hpp",
        "ring.go_back(least);",
        ";",
    ),
    Mutation(
        "letters: the first of the work that is sent stays behind",
        "threads",
        "search/letters.hpp",
        "send_work(to, all.data() + kept, all.data() + count, bucket);",
        "send_work(to, all.data() + kept + 1, all.data() + count, bucket);",
    ),
    Mutation(
        "letters: work is sent and kept",
        "threads",
        "search/letters.hpp",
        "list.resize(list.size() - rest / 2);",
        ";",
    ),
    Mutation(
        "letters: the rest of an open bucket is lost",
        "threads",
        "search/delta_stepping_parallel.hpp",
        "ring.list().erase(ring.list().begin(), ring.list().begin() + static_cast<int64_t>(at.i));",
        "ring.list().clear();",
    ),
    Mutation(
        "delta-stepping: a vertex that two threads lower is filed by the first only",
        "threads",
        "search/delta_stepping_parallel.hpp",
        "desk.file(width.bucket(candidate), v);",
        "if (kOwned || before == kInfinity<D>) desk.file(width.bucket(candidate), v);",
    ),
    Mutation(
        "phases: what a phase did not scan is lost",
        "threads",
        "search/phases.hpp",
        "std::min(list.size(), mine.taken.load())",
        "list.size()",
    ),
    Mutation(
        "phases: the rest of a long row is left to nobody",
        "threads",
        "search/phases.hpp",
        "if (pieces_[p].next.load(std::memory_order_relaxed) < pieces_[p].last) return true;",
        "pieces_[p].next = pieces_[p].last;",
    ),
    Mutation(
        "phases: a piece of a row ends before its last edges",
        "threads",
        "search/phases.hpp",
        "if (at.edge <= before) break;",
        "break;",
    ),
    Mutation(
        "phases: a thread that is held up takes what it has filed with it",
        "threads",
        "search/phases.hpp",
        "if (width_.bucket(all_.load(v)) == bucket) rest.left.push_back(v);",
        ";",
    ),
    Mutation(
        "phases: a ring of another width starts at its own lowest bucket",
        "threads",
        "search/phases.hpp",
        "if (least != kInfinity<D>) ring.start_at(width_.bucket(least));",
        "if (!left[t].empty()) ring.start_at(width_.bucket(all_.load(left[t].back())));",
    ),
]
