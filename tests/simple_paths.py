"""An oracle for lists of paths: all simple paths, in plain Python."""


def simple_paths(lightest, s, t):
    """Every path that visits no vertex twice: {vertices: length}; the weights are added up from the source on."""
    found, waiting = {}, [((s,), 0)]
    while waiting:
        path, length = waiting.pop()
        if path[-1] == t:
            found[path] = length
            continue
        waiting += [((*path, v), length + w) for (u, v), w in lightest.items() if u == path[-1] and v not in path]
    return found
