// Graphs: what was captured, or nodes added one by one. A node runs after those it depends on and otherwise as early as
// it can before those added first, so that a forgotten dependency is seen. STANDIN_LOG tells graphs that were not
// freed.
#include "graphs.hpp"

#include <map>

#include "launches.hpp"

namespace standin {
namespace {
struct Node {
    Operation operation;
    std::vector<Node*> after;
};
typedef std::vector<std::unique_ptr<Node>> Graph;
std::map<void*, Graph> graphs;
std::map<void*, std::vector<Operation>> executables;

Node* add(Graph& graph, Operation operation, std::vector<Node*> after) {
    graph.push_back(std::unique_ptr<Node>(new Node{std::move(operation), std::move(after)}));
    return graph.back().get();
}

std::vector<Operation> in_order(const Graph& graph) {
    std::vector<Operation> order;
    std::vector<const Node*> done;
    auto is_done = [&](const Node* node) { return std::find(done.begin(), done.end(), node) != done.end(); };
    while (done.size() < graph.size())
        for (size_t i = graph.size(); i-- > 0;) {
            const Node* node = graph[i].get();
            if (is_done(node) || !std::all_of(node->after.begin(), node->after.end(), is_done)) continue;
            done.push_back(node);
            order.push_back(node->operation);
            break;
        }
    return order;
}
}  // namespace

void* make_graph(const std::vector<Operation>& chain) {
    void* made = new char;
    note("make graph");
    Graph& graph = graphs[made];
    for (auto& operation : chain)
        add(graph, operation, graph.empty() ? std::vector<Node*>() : std::vector<Node*>{graph.back().get()});
    return made;
}

}  // namespace standin
using namespace standin;

API cuGraphCreate(void** graph, unsigned) {
    IN_CONTEXT;
    return *graph = make_graph({}), OK;
}
API cuGraphAddKernelNode_v2(void** node, void* graph, void** after, size_t count, const KernelNode* kernel) {
    IN_CONTEXT;
    if (!graphs.count(graph)) return INVALID_VALUE;
    Operation operation;
    const unsigned *grid = kernel->grid, *block = kernel->block;
    if (Result error = prepare(kernel->function, grid, block, kernel->parameters, &operation)) return error;
    std::vector<Node*> before;
    for (size_t i = 0; i < count; i++) before.push_back(static_cast<Node*>(after[i]));
    return *node = add(graphs[graph], operation, before), OK;
}
API cuGraphInstantiateWithFlags(void** made, void* graph, unsigned long long) {
    IN_CONTEXT;
    if (!graphs.count(graph)) return INVALID_VALUE;
    *made = new char;
    executables[*made] = in_order(graphs[graph]);
    return OK;
}
API cuGraphLaunch(void* made, void* stream) {
    if (idle) return OK;
    IN_CONTEXT;
    if (!executables.count(made)) return INVALID_VALUE;
    note("launch graph of " + std::to_string(executables[made].size()));
    for (auto& operation : executables[made])
        if (Result error = enqueue(stream, operation)) return error;
    return OK;
}
API cuGraphDestroy(void* graph) {
    IN_CONTEXT;
    note("end graph");
    return graphs.erase(graph) ? (delete static_cast<char*>(graph), OK) : INVALID_VALUE;
}
API cuGraphExecDestroy(void* made) {
    IN_CONTEXT;
    return executables.erase(made) ? (delete static_cast<char*>(made), OK) : INVALID_VALUE;
}
