"""A case as a program that shows the failure with steppe alone."""

from . import parts
from .cases import NAMES, number


def program(case, message, about):
    """Return the code; the message says what is right."""
    lines = [f"# {about}", *(f"# {line}" for line in message.splitlines()[:6])]
    if case.part != "answers":
        return "\n".join([*lines, *parts.of(case.part).lines(case)]) + "\n"
    lines += ["import sys", "import numpy as np", "import steppe as sp", ""]
    if case.eager:
        lines.append(
            'vars(sys.modules["steppe.planning.plan"]).update(EDGES_PER_THREAD=1, SPARSE_EDGES_PER_THREAD=1)  # threads for small graphs, too'
        )
    lines += built(case)
    lines += [line for question in case.questions for line in asked(case, question)]
    return "\n".join(lines) + "\n"


def built(case):
    """The lines that build the graph g."""
    u, v, w = ([e[i] for e in case.edges] for i in range(3))
    weights = "None" if case.dtype is None else f"np.array([{', '.join(map(number, w))}], dtype={case.dtype!r})"
    lines = [f"g = sp.Graph.from_edges({u}, {v}, {weights}, num_vertices={case.n}, directed={case.directed})"]
    if case.labels != "none" or case.where == "csr":
        names = "" if case.labels == "none" else f", labels={case.named(range(case.n))}"
        lines.append(f"g = sp.Graph.from_csr(g.indptr, g.indices, g.weights{names}, directed={case.directed})")
    if case.where == "file":
        lines += ['sp.write(g, "graph.steppe")', 'g = sp.read("graph.steppe")']
    if case.prepared.endswith(("prepared", "routes")):
        lines.append(f"g.prepare({'routes=True' if case.prepared.endswith('routes') else ''})")
    if case.prepared == "all":
        lines.append(f"g.prepare(*{NAMES})")
    return lines


def asked(case, question):
    """The lines that ask a question."""
    call = question["call"]
    if call == "roundtrip":
        return [f'sp.write(g, "again{question["suffix"]}")', f'print(sp.read("again{question["suffix"]}"))']
    names = [
        case.named(question[k]) if k == "sources" else case.label(question[k])
        for k in ("source", "sources", "target")
        if k in question
    ]
    given = {
        k: v for k, v in question.items() if k not in ("call", "source", "sources", "target", "look", "vertex", "again")
    }
    if "targets" in given:
        given["targets"] = case.named(given["targets"])
    if given.get("out"):
        given["out"] = "matrix.npy"
    arguments = ", ".join(["g", *map(repr, names), *(f"{k}={number(v)}" for k, v in given.items())])
    lines = [f"r = sp.{call}({arguments})"] * question.get("again", 1)
    if call in ("sssp", "bfs", "nearest"):
        lines.append(
            f"print(r.distances.tolist())  # then: verify, {question.get('look', 'nothing else')}, vertex {question.get('vertex', 0)}"
        )
        paths = "r.paths" if call == "nearest" else "r"
        lines.append(f"{paths}.verify()")
        if question.get("look") in ("predecessors", "damaged tree"):
            lines.append(f"print({paths}.predecessors.tolist())")
        if call == "nearest":
            lines.append("print(r.source_index.tolist())")
    elif call == "route":
        lines += ["print(r.distance, r.vertices.tolist())", "r.verify()"]
    else:
        lines.append("print(r.toarray() if hasattr(r, 'toarray') else r.tolist())")
    return lines
