// Graphs from nothing: the families that tests, benchmarks and the demo run on.
//
// Every number drawn is a hash of (seed, stream, index), not the next state of a generator: edge i is the same
// whichever thread makes it, so a seed means one graph for any number of threads. The hash is splitmix64 (Steele, Lea,
// Flood 2014). Distributions are built from integers alone (power laws by drawing a bit length first), because pow()
// and log() round differently from one C library to the next.
//
// Families write edges, not rows: sources[i] -> targets[i]; rows/build.hpp sorts them. simplify_rows then drops loops
// and keeps the lightest of parallel edges where a simple graph is wanted.
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/parallel.hpp"
#include "rows/csr.hpp"

namespace steppe::generate {

inline uint64_t mix(uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

// One stream of random numbers: stream k of a seed. Its i-th number costs one hash, in any order.
class Stream {
  public:
    Stream(uint64_t seed, uint64_t stream) : key_(mix(mix(seed) + stream)) {}
    uint64_t operator()(uint64_t i) const { return mix(key_ + i * 0xd1342543de82ef95u); }

  private:
    uint64_t key_;
};

// A hash as a number in [0, range): the high half of a product. 32 x 32 bits at a time, for compilers without __int128.
inline uint64_t below(uint64_t hash, uint64_t range) {
    const uint64_t a = hash >> 32, b = hash & 0xffffffffu, c = range >> 32, d = range & 0xffffffffu;
    const uint64_t middle = a * d + ((b * d) >> 32);
    const uint64_t low = b * c + (middle & 0xffffffffu);
    return a * c + (middle >> 32) + (low >> 32);
}

// A hash as a yes with probability p (given as p x 2^32).
inline uint64_t chance(double p) { return static_cast<uint64_t>(std::clamp(p, 0.0, 1.0) * 4294967296.0); }
inline bool happens(uint64_t hash, uint64_t chance) { return (hash >> 32) < chance; }

constexpr int64_t kGrain = 1 << 16;

// Uniform integers in [low, high], or (for floats) multiples of 2^-24 or 2^-53 in (0, 1].
template <class W>
void weights(W* out, int64_t m, int64_t low, int64_t high, uint64_t seed, int threads, Watch& watch) {
    const Stream draw(seed, 1);
    const uint64_t range = static_cast<uint64_t>(high) - static_cast<uint64_t>(low) + 1;  // 0: all 2^64 values
    parallel_for(threads, m, kGrain, watch, [&](int64_t begin, int64_t end, int) {
        for (int64_t i = begin; i < end; ++i) {
            const uint64_t r = draw(i);
            if constexpr (std::is_same_v<W, float>) out[i] = static_cast<float>((r >> 40) + 1) * 0x1p-24f;
            else if constexpr (std::is_same_v<W, double>) out[i] = static_cast<double>((r >> 11) + 1) * 0x1p-53;
            else out[i] = static_cast<W>(static_cast<uint64_t>(low) + (range ? below(r, range) : r));
        }
    });
}

// R-MAT (Chakrabarti, Zhan, Faloutsos 2004) with Graph500's A, B, C, D = .57 .19 .19 .05: an edge falls through `scale`
// levels of quadrants, 16 random bits a level. Vertex ids are scrambled by a bijection, else small ids would be the
// hubs.
template <class V>
void rmat(int scale, int64_t m, uint64_t seed, V* sources, V* targets, int threads, Watch& watch) {
    constexpr uint32_t kA = 37356, kAB = 49807, kABC = 62259;  // .57, .76, .95 of 65536
    const Stream draw(seed, 2), ids(seed, 3);
    const uint64_t mask = (uint64_t{1} << scale) - 1;
    const uint64_t add = ids(0), multiply = ids(1) | 1, again = ids(2) | 1;
    const int half = std::max(1, scale / 2);
    auto scramble = [&](uint64_t v) {
        v = ((v + add) * multiply) & mask;
        v = ((v ^ (v >> half)) * again) & mask;
        return static_cast<V>(v ^ (v >> half));
    };
    parallel_for(threads, m, kGrain, watch, [&](int64_t begin, int64_t end, int) {
        const int words = (scale + 3) / 4;
        for (int64_t i = begin; i < end; ++i) {
            uint64_t u = 0, v = 0;
            for (int level = 0, word = 0; word < words; ++word) {
                uint64_t bits = draw(static_cast<uint64_t>(i) * words + word);
                for (const int stop = std::min(scale, level + 4); level < stop; ++level, bits >>= 16) {
                    const uint32_t r = bits & 0xffff;
                    const uint64_t down = r >= kAB;
                    const uint64_t right = (r >= kA) ^ down ^ (r >= kABC);
                    u = u << 1 | down;
                    v = v << 1 | right;
                }
            }
            sources[i] = scramble(u);
            targets[i] = scramble(v);
        }
    });
}

// Both ends uniform, no loops (n >= 2), repeats possible: G(n, m) with replacement.
template <class V>
void random(int64_t n, int64_t m, uint64_t seed, V* sources, V* targets, int threads, Watch& watch) {
    const Stream draw(seed, 4);
    parallel_for(threads, m, kGrain, watch, [&](int64_t begin, int64_t end, int) {
        for (int64_t i = begin; i < end; ++i) {
            const uint64_t u = below(draw(2 * i), n), v = below(draw(2 * i + 1), n - 1);
            sources[i] = static_cast<V>(u);
            targets[i] = static_cast<V>(v + (v >= u));
        }
    });
}

// rows x columns, ids row by row; each vertex links to the right and down. Edge numbers are a closed formula of (r, c).
template <class V>
void grid(int64_t rows, int64_t columns, V* sources, V* targets, int threads, Watch& watch) {
    parallel_for(threads, rows, std::max<int64_t>(1, kGrain / std::max<int64_t>(1, columns)), watch,
                 [&](int64_t begin, int64_t end, int) {
                     for (int64_t r = begin; r < end; ++r) {
                         int64_t e = r * (2 * columns - 1);
                         auto put = [&](int64_t u, int64_t v) {
                             sources[e] = static_cast<V>(u);
                             targets[e++] = static_cast<V>(v);
                         };
                         for (int64_t c = 0; c < columns; ++c) {
                             const int64_t u = r * columns + c;
                             if (c + 1 < columns) put(u, u + 1);
                             if (r + 1 < rows) put(u, u + columns);
                         }
                     }
                 });
}

// A road-like network on a sheet of crossings, 100 m apart and moved by up to 40 m. Every crossing keeps one of its
// links to the left and up, drawn at random, which makes a spanning tree (connected, whatever the seed); the other link
// stays with probability `keep`, and a few blocks are cut by a diagonal. Every 16th row and column is a main road:
// nothing is missing there and it is three times as fast.
struct Road {
    int64_t n, columns;
    uint64_t keep, diagonal;
    Stream draw, place;
    Road(int64_t n, double keep, double diagonal, uint64_t seed)
        : n(n), columns(width(n)), keep(chance(keep)), diagonal(chance(diagonal)), draw(seed, 5), place(seed, 6) {}

    static int64_t width(int64_t n) {
        int64_t w = static_cast<int64_t>(std::sqrt(static_cast<double>(n)));
        while (w * w < n) ++w;
        return std::max<int64_t>(w, 1);
    }
    bool main_row(int64_t r) const { return r % 16 == 0; }

    // Centimetres, so that the length below has nothing to round but its square root.
    std::pair<int64_t, int64_t> position(int64_t v) const {
        const uint64_t h = place(v);
        return {v % columns * 10000 + static_cast<int64_t>(below(h, 8001)) - 4000,
                v / columns * 10000 + static_cast<int64_t>(below(h << 32, 8001)) - 4000};
    }
    // Metres, or tenths of a second at 36 km/h (10 m/s) and 108 km/h: at least 1.
    int32_t weight(int64_t u, int64_t v, bool fast, bool time) const {
        const auto [x, y] = position(u);
        const auto [a, b] = position(v);
        const double metres = std::sqrt(static_cast<double>((x - a) * (x - a) + (y - b) * (y - b))) / 100;
        const double cost = !time ? metres : fast ? metres / 3 : metres;
        return std::max(1, static_cast<int32_t>(cost + 0.5));
    }
    // put(v, fast) for the links of u to earlier vertices.
    template <class Put>
    void links(int64_t u, Put put) const {
        const int64_t r = u / columns, c = u % columns;
        const uint64_t h = draw(2 * u), other = draw(2 * u + 1);
        const bool kept = happens(h, keep), first_left = h & 1;
        const bool fast_row = main_row(r), fast_column = main_row(c);
        if (c && (r == 0 || first_left || kept || fast_row)) put(u - 1, fast_row);
        if (r && (c == 0 || !first_left || kept || fast_column)) put(u - columns, fast_column);
        if (c && r && happens(other, diagonal)) put(u - columns - 1, false);
    }
};

// Where the crossings are, in metres: x to the right, y down the rows.
inline void road_places(const Road& road, double* places, int threads, Watch& watch) {
    parallel_for(threads, road.n, kGrain, watch, [&](int64_t begin, int64_t end, int) {
        for (int64_t v = begin; v < end; ++v) {
            const auto [x, y] = road.position(v);
            places[2 * v] = static_cast<double>(x) / 100;
            places[2 * v + 1] = static_cast<double>(y) / 100;
        }
    });
}

inline void road_counts(const Road& road, int64_t* counts, int threads, Watch& watch) {
    parallel_for(threads, road.n, kGrain, watch, [&](int64_t begin, int64_t end, int) {
        for (int64_t u = begin; u < end; ++u) {
            counts[u] = 0;
            road.links(u, [&](int64_t, bool) { ++counts[u]; });
        }
    });
}

template <class V>
void road(const Road& road, bool time, const int64_t* offsets, V* sources, V* targets, int32_t* lengths, int threads,
          Watch& watch) {
    parallel_for(threads, road.n, kGrain, watch, [&](int64_t begin, int64_t end, int) {
        for (int64_t u = begin; u < end; ++u) {
            int64_t e = offsets[u];
            road.links(u, [&](int64_t v, bool fast) {
                sources[e] = static_cast<V>(u);
                targets[e] = static_cast<V>(v);
                if (lengths) lengths[e] = road.weight(u, v, fast, time);
                ++e;
            });
        }
    });
}

// Watts and Strogatz 1998: a ring where each vertex links to its next `reach` neighbours; the far end of each link is
// moved to a random other vertex with probability `rewire`.
template <class V>
void small_world(int64_t n, int64_t reach, double rewire, uint64_t seed, V* sources, V* targets, int threads,
                 Watch& watch) {
    const Stream draw(seed, 7);
    const uint64_t moved = chance(rewire);
    parallel_for(threads, n, kGrain, watch, [&](int64_t begin, int64_t end, int) {
        for (int64_t u = begin; u < end; ++u) {
            for (int64_t k = 1; k <= reach; ++k) {
                const int64_t e = u * reach + k - 1;
                int64_t v = (u + k) % n;
                if (happens(draw(2 * e), moved)) {
                    v = static_cast<int64_t>(below(draw(2 * e + 1), n - 1));
                    v += v >= u;
                }
                sources[e] = static_cast<V>(u);
                targets[e] = static_cast<V>(v);
            }
        }
    });
}

// P(k) about 1/k on [1, limit]: a uniform bit length, then uniform bits.
inline uint64_t harmonic(uint64_t hash, uint64_t limit) {
    const uint64_t top = uint64_t{1} << below(hash, std::bit_width(limit));
    return std::min(limit, top + below(mix(hash), top));
}

// A web-like crawl in the order of its addresses: out-degrees follow a power law (exponent 2.7), most links stay near
// (distance d with probability about 1/d, up to 4096), the others go to popular pages (rank k with probability about
// 1/k, hence in-degrees with exponent near 2).
inline void web_counts(int64_t n, double degree, uint64_t seed, int64_t* counts, int threads, Watch& watch) {
    const Stream draw(seed, 8);
    constexpr double kMean = 2.70;     // of 2^j (1 + uniform) with P(j) falling by 2^-1.7 per step
    constexpr uint32_t kFall = 20172;  // 2^-1.7 of 65536
    parallel_for(threads, n, kGrain, watch, [&](int64_t begin, int64_t end, int) {
        for (int64_t u = begin; u < end; ++u) {
            uint64_t bits = draw(2 * u);
            int level = 0;
            while (level < 16 && (bits & 0xffff) < kFall) {
                ++level;
                bits = level % 3 ? bits >> 16 : mix(bits);
            }
            const double part = static_cast<double>(draw(2 * u + 1) >> 11) * 0x1p-53;
            const double size = degree / kMean * static_cast<double>(1 << level) * (1 + part);
            counts[u] = std::min<int64_t>(n - 1, static_cast<int64_t>(size + 0.5));
        }
    });
}

template <class V>
void web(int64_t n, double local, uint64_t seed, const int64_t* offsets, V* sources, V* targets, int threads,
         Watch& watch) {
    const Stream draw(seed, 9), page(seed, 10);
    const uint64_t near = chance(local);
    parallel_for(threads, n, kGrain / 8, watch, [&](int64_t begin, int64_t end, int) {
        for (int64_t u = begin; u < end; ++u) {
            for (int64_t e = offsets[u]; e < offsets[u + 1]; ++e) {
                const uint64_t h = draw(2 * e);
                int64_t v;
                if (happens(h, near)) {
                    const int64_t far = static_cast<int64_t>(harmonic(draw(2 * e + 1), std::min<int64_t>(4096, n - 1)));
                    v = (h & 1) == 0 ? u - far : u + far;
                    if (v < 0 || v >= n) v = v < 0 ? u + far : u - far;
                    if (v < 0 || v >= n) v = u ? 0 : n - 1;
                } else {
                    v = static_cast<int64_t>(below(page(harmonic(draw(2 * e + 1), n)), n));
                    if (v == u) v = (u + 1) % n;
                }
                sources[e] = static_cast<V>(u);
                targets[e] = static_cast<V>(v);
            }
        }
    });
}

// Sorts each row by target, drops loops and all but the lightest of parallel edges; what stays is moved to the front of
// the row and counted. Both directions of an undirected graph lose the same edges, so it stays symmetric.
template <class V, class W>
void simplify_rows(int64_t n, const int64_t* offsets, V* targets, W* weights, int64_t* counts, int threads,
                   Watch& watch) {
    parallel_for(threads, n, 1 << 10, watch, [&](int64_t begin, int64_t end, int) {
        std::vector<std::pair<V, W>> row;
        for (int64_t u = begin; u < end; ++u) {
            row.clear();
            for (int64_t e = offsets[u]; e < offsets[u + 1]; ++e)
                if (targets[e] != u) row.emplace_back(targets[e], weights ? weights[e] : W{});
            std::sort(row.begin(), row.end());
            int64_t kept = 0;
            for (size_t i = 0; i < row.size(); ++i) {
                if (i && row[i].first == row[i - 1].first) continue;
                targets[offsets[u] + kept] = row[i].first;
                if (weights) weights[offsets[u] + kept] = row[i].second;
                ++kept;
            }
            counts[u] = kept;
        }
    });
}

template <class V, class W>
void compact_rows(int64_t n, const int64_t* offsets, const V* targets, const W* weights, const int64_t* to,
                  V* out_targets, W* out_weights, int threads, Watch& watch) {
    parallel_for(threads, n, 1 << 12, watch, [&](int64_t begin, int64_t end, int) {
        for (int64_t u = begin; u < end; ++u) {
            const int64_t count = to[u + 1] - to[u];
            std::copy_n(targets + offsets[u], count, out_targets + to[u]);
            if (weights) std::copy_n(weights + offsets[u], count, out_weights + to[u]);
        }
    });
}

}  // namespace steppe::generate
