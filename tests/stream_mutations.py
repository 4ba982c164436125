"""Seeded bugs in the kernels that stream; see mutations.py."""

from mutations import Mutation

STREAM = "import stream_checks; stream_checks.check_tiny(device, {!r}, record={})"
STREAMED, STREAM_RECORDED = STREAM.format("frontier", False), STREAM.format("delta-stepping", True)

STREAM_MUTATIONS = [
    Mutation(
        "stream: a plain store for MIN",
        "stream.c",
        "return key < MIN_KEY(&dist[v], key) ? 1u : 0u;",
        "dist[v] = key; return 1u;",
        STREAMED,
    ),
    Mutation(
        "stream: a plain read where others write",
        "stream.c",
        "if (key >= LOAD(&dist[v])) return 0u;",
        "if (key >= dist[v]) return 0u;",
        STREAMED,
    ),
    Mutation(
        "stream: dist and pred written apart",
        "stream.c",
        "if (seen == old) return 1u;",
        "((GLOBAL u32 *)cells)[2 * v] = (u32)u; if (seen == old) return 1u;",
        STREAM_RECORDED,
    ),
    Mutation(
        "stream: a plain mark",
        "stream.c",
        "EXCH_u32(&marks[v + p], NEAR) != NEAR)",
        "(marks[v + p] = NEAR))",
        STREAMED,
    ),
    Mutation(
        "stream: one mark for a vertex, whatever the part",
        "stream.c",
        "        if (marks[u + p] != NEAR) continue;\n        marks[u + p] = 0u;\n",
        "        if (marks[u + p] != NEAR) continue;\n        marks[0] = 0u;\n",
        STREAMED,
    ),
    Mutation(
        "stream: a plain count of the work list",
        "stream.c",
        "i64 i = ADD_u32(&state[FRONT + parity], 1u);",
        "i64 i = state[FRONT + parity]++;",
        STREAMED,
    ),
    Mutation(
        "stream: the work list's two ends meet",
        "stream.c",
        "i64 i = capacity - 1 - ADD_u32(",
        "i64 i = 2 - ADD_u32(",
        STREAMED,
    ),
    Mutation(
        "stream: the length in use is cleared",
        "stream.c",
        "        state[FRONT + 1u - parity] = 0u;\n",
        "        state[FRONT + parity] = 0u;\n",
        STREAMED,
    ),
    Mutation(
        "stream: a row that is not cut at the end of its part",
        "stream.c",
        "        i64 to = indptr[u + 1] < (p + 1) * size ? indptr[u + 1] : (p + 1) * size;\n",
        "        i64 to = indptr[u + 1];\n",
        STREAMED,
    ),
    Mutation(
        "stream: base is forgotten",
        "stream.c",
        "for (i64 e = places[i] - base; e < end; e++) {",
        "for (i64 e = places[i]; e < end + base; e++) {",
        STREAMED,
    ),
    Mutation(
        "stream: a plain minimum of what is far",
        "stream.c",
        "if (LOCAL_ID == 0 && left != KEY_INF) MIN_KEY(&least[parts], left);",
        "if (left != KEY_INF) least[parts] = left;",
        STREAM_RECORDED,
    ),
    Mutation(
        "stream: tails write parents plainly",
        "stream.c",
        "#define NAME_PARENT(u) STORE(&parents[v], u);",
        "#define NAME_PARENT(u) parents[v] = u;",
        STREAM.format("bellman-ford", False),
    ),
]
