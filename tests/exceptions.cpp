// Searches on several threads, in which the k-th allocation fails, for k = 1, 2, 3, …: every search must end, with the
// right answer or with std::bad_alloc, and the next one must be right. Then the same for allocations of the workers
// alone, while the calling thread waits for them. Prints how often each search failed; tests/test_exceptions.py
// compiles and runs this.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <thread>
#include <vector>

#include "rows/packed.hpp"
#include "search/bfs.hpp"
#include "search/delta_stepping_parallel.hpp"
#include "search/frontier.hpp"

using namespace steppe;

static const std::thread::id kMain = std::this_thread::get_id();
static std::atomic<int64_t> countdown{0};  // of allocations; 0: none fails
static bool workers_only = false;

void* operator new(size_t size) {
    const bool counts = !workers_only || std::this_thread::get_id() != kMain;
    if (counts && countdown.load() > 0 && countdown.fetch_sub(1) == 1) throw std::bad_alloc();
    if (void* memory = std::malloc(size ? size : 1)) return memory;
    throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }

struct Arrays {
    std::vector<int64_t> offsets;
    std::vector<int32_t> targets, weights;
    rows::Csr<int32_t, int32_t> csr() const {
        return {static_cast<int64_t>(offsets.size()) - 1, offsets.data(), targets.data(), weights.data()};
    }
};

static Arrays random_graph(int64_t n, int64_t degree) {
    Arrays g;
    uint64_t state = 1;
    auto draw = [&](uint64_t range) {
        return static_cast<int32_t>((state = state * 6364136223846793005u + 1442695040888963407u) >> 33) % range;
    };
    for (int64_t e = 0; e <= n * degree; e += degree) g.offsets.push_back(e);
    for (int64_t e = 0; e < n * degree; ++e) {
        g.targets.push_back(static_cast<int32_t>(draw(n)));
        g.weights.push_back(static_cast<int32_t>(1 + draw(1000)));
    }
    return g;
}

// `run(dist)` fills distances. Prints how many of the failures came out of it.
template <class D, class Run>
static void provoke(const char* name, int64_t n, int tries, Run run) {
    std::vector<D> expected(n), found(n);
    run(expected.data());
    int failed = 0;
    for (int k = 1; k <= 2 * tries; ++k) {
        workers_only = k > tries;
        countdown = workers_only ? k - tries : k;
        try {
            run(found.data());
        } catch (const std::bad_alloc&) {
            ++failed;
            countdown = 0;
            run(found.data());
        }
        countdown = 0;
        if (found != expected) throw std::logic_error(name);
    }
    std::printf("%s %d\n", name, failed);
}

int main(int count, char** arguments) {
    const int threads = count > 1 ? std::atoi(arguments[1]) : 2, tries = count > 2 ? std::atoi(arguments[2]) : 20;
    const Arrays edges = random_graph(20000, 8);
    const auto g = edges.csr();
    Watch watch;
    auto ask = [&](auto d) {
        search::Search<int32_t, decltype(d)> search;
        search.sources = {0};
        search.threads = threads;
        search.typical_weight = 500;
        search.max_weight = 1000;
        search.watch = &watch;
        return search;
    };
    const auto search = ask(uint32_t{});
    std::vector<int32_t> pred(g.n);
    const rows::Packed<int32_t>* none = nullptr;
    provoke<uint32_t>("delta-stepping", g.n, tries, [&](uint32_t* dist) {
        search::delta_stepping_parallel<false>(g, none, search, dist, pred.data());
    });
    provoke<uint32_t>("delta-stepping with paths", g.n, tries, [&](uint32_t* dist) {
        search::delta_stepping_parallel<true>(g, none, search, dist, pred.data());
    });
    provoke<uint32_t>("frontier", g.n, tries,
                      [&](uint32_t* dist) { search::frontier<false>(g, search, dist, pred.data()); });
    provoke<int32_t>("bfs", g.n, tries,
                     [&](int32_t* hops) { search::Bfs<false, int32_t>(g, nullptr, search, hops, nullptr).run(); });
    provoke<int64_t>("parallel_for", g.n, tries, [&](int64_t* out) {
        parallel_for(threads, g.n, 64, [&](int64_t begin, int64_t end, int) {
            for (int64_t i = begin; i < end; ++i) out[i] = std::vector<int64_t>(8, i)[7];
        });
    });
    return 0;
}
