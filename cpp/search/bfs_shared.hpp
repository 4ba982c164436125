// The narrow levels of a breadth-first search on several threads. They are too small for a barrier after each.
//
// Each thread goes through levels of its own, from a queue of its own. The thread that lowers a vertex's cell
// (bfs_narrow.hpp) puts the vertex into its queue. So a thread stays in its own part of the frontier, and threads write
// to the same cells along borders only. They need not be in the same level. A vertex may be found by a detour first,
// and again by fewer hops. A cell is the minimum of all that is found, so that the tree is the canonical one. How far a
// thread may be ahead is bounded, and a thread that has too little to do is sent the end of another's level
// (mailboxes.hpp).
//
// The loop of one thread takes the minimum without a branch. Here that would lose what another thread writes in
// between. So the loop lists the edges that may lower a cell, without a branch, and then takes those minima by
// compare-and-swap. (Two threads of a Xeon, November 2026, hops and tree: New York 3.3 ms -> 2.3, a grid of 2.25 M 40
// -> 25; with plain stores, which lose some, 1.8 and 23.)
//
// Threads stop before the end where levels become wide, or where one is held up. Then all levels up to the lowest that
// a thread is in are right, and what lies beyond is found anew (NarrowLevels::restart).
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "base/atomics.hpp"
#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "base/types.hpp"
#include "base/watch.hpp"
#include "rows/csr.hpp"
#include "search/halt.hpp"
#include "search/mailboxes.hpp"
#include "search/search.hpp"

namespace steppe::search {

template <class Cells, class V>
class SharedLevels {
  public:
    // most: edges of a thread's level, about, from which levels are wide. limit: hops that are not gone beyond.
    SharedLevels(const rows::Csr<V, int32_t>& graph, Cells to, int64_t limit, int64_t most, Watch& watch)
        : g_(graph),
          cells_(to.cells),
          limit_(limit),
          most_(most / (graph.edges() / std::max<int64_t>(1, graph.n) + 1)),
          watch_(watch) {}

    // From the vertices of one level on. Returns the lowest level that is left to do, or kDone, and adds to stats.
    int64_t run(int64_t level, const V* first, const V* last, int threads, Stats& stats) {
        Mailboxes<V> mailboxes(threads);
        Halted halted;
        std::vector<std::unique_ptr<Part>> parts(threads);  // outlive all threads: messages move between them
        for (int t = 0; t < threads; ++t) parts[t] = std::make_unique<Part>(mailboxes, t);
        parts[0]->later.push_back({level, {first, last}});
        parallel(threads, [&](int thread, int team) {
            const FinishOnExit<V> finish{mailboxes};
            mailboxes.set_threads(team);
            if (thread == 0) stats.threads = team;
            work(mailboxes, thread, *parts[thread], halted);
        });
        int64_t low = kDone;
        for (const auto& part : parts) {
            part->receive(mailboxes);
            part->next_level();
            low = std::min(low, part->level);
            stats.add(part->stats);
        }
        if (halted.why() == Halt::kBlocked) stats.note = kHeldUp;
        return low;
    }

    static constexpr int64_t kDone = std::numeric_limits<int64_t>::max();
    static constexpr int64_t kFew = 64;  // vertices of a level that are not worth a border between two threads

  private:
    using Cell = typename Cells::Cell;
    static constexpr int64_t kWindow = 6;  // levels that a thread may be ahead
    // Vertices whose offsets are on the way; those whose edges are listed together, and how many edges at most.
    static constexpr int64_t kAhead = 64, kBatch = 32, kMost = 512;
    static constexpr int64_t kRoom = 1 << 14;  // of a queue, at first
    static constexpr int64_t kPoll = 1 << 16;  // edges between two looks whether to stop

    // What one thread has to do: its queue, vertices of one level (while that is gone through, of the next one, too),
    // and those of other levels that it was sent or had when it was.
    struct alignas(128) Part : Mailbox<V> {
        Part(Mailboxes<V>& mailboxes, int thread) : Mailbox<V>(mailboxes, thread), queue(kRoom) {}

        struct Later {
            int64_t level;
            std::vector<V> list;
        };
        Buffer<V> queue;
        int64_t head = 0, tail = 0;
        int64_t level = kDone;
        std::vector<Later> later;
        Stats stats;

        int64_t size() const { return tail - head; }
        // Room for so many more at the tail. What is left moves to the front, where it stays in cache.
        void make_room(int64_t count) {
            const bool slides = head > kRoom && size() <= head;
            if (!slides && tail + count <= static_cast<int64_t>(queue.size())) return;
            Buffer<V> larger;
            if (!slides) larger = Buffer<V>(2 * (size() + count));
            Buffer<V>& to = slides ? queue : larger;
            std::copy(queue.data() + head, queue.data() + tail, to.data());
            if (!slides) queue = std::move(larger);
            tail -= std::exchange(head, 0);
        }
        void receive(Mailboxes<V>& mailboxes) {
            const int64_t messages = this->read([&](const Message<V>& message) {
                later.push_back({message.least, {message.vertex, message.vertex + message.count}});
            });
            if (messages) mailboxes.received(messages);
        }
        // Between two levels: the lowest that there is becomes the queue.
        void next_level() {
            int64_t low = size() ? level : kDone;
            for (const Later& other : later) low = std::min(low, other.level);
            if (size() && low < level) {
                later.push_back({level, {queue.data() + head, queue.data() + tail}});
                tail = head;
            }
            level = low;
            std::erase_if(later, [&](const Later& other) {
                if (other.level != low) return false;
                make_room(static_cast<int64_t>(other.list.size()));
                std::copy(other.list.begin(), other.list.end(), queue.data() + tail);
                tail += static_cast<int64_t>(other.list.size());
                return true;
            });
        }
        void forget() {
            head = tail;
            later.clear();
        }
    };

    void work(Mailboxes<V>& mailboxes, int thread, Part& part, Halted& halted) {
        Wait wait;
        int64_t window_end = -1, next_poll = kPoll;
        const auto stop = [&] { return watch_.poll(part.stats.edges_relaxed) || halted.is(); };
        while (!mailboxes.finished() && !halted.is() && !watch_.stopped()) {
            if (mailboxes.has_messages(thread)) part.receive(mailboxes);
            part.next_level();
            if (part.level >= limit_) part.forget();
            if (!part.size()) {
                mailboxes.request_work(thread, 0);
                if (!mailboxes.wait(thread, stop)) break;
                continue;
            }
            mailboxes.set_bucket(thread, part.level);
            if (part.level > window_end &&
                part.level > (window_end = mailboxes.window_end(thread, part.level, kWindow))) {
                if (stop()) break;
                if (wait.is_in_vain(mailboxes.beats(), part.stats.edges_relaxed)) halted.because(Halt::kBlocked);
                if (wait.is_long()) mailboxes.request_work(thread, part.size());
                pause_cpu();
                continue;
            }
            wait.spins = 0;
            if (part.size() > most_) {
                halted.because(Halt::kWide);
                break;
            }
            share(mailboxes, thread, part);
            if (walk(mailboxes, thread, part, halted)) ++part.level;
            if (part.stats.edges_relaxed > next_poll) {
                next_poll = part.stats.edges_relaxed + kPoll;
                watch_.poll(part.stats.edges_relaxed);
                mailboxes.wake_sleepers();  // the caller may sleep, who alone hears of Ctrl-C
            }
        }
    }

    // Answers a thread that has far less to do with half of the difference.
    void share(Mailboxes<V>& mailboxes, int thread, Part& part) {
        if (part.size() <= kFew) return;
        int64_t its = 0;
        const int to = mailboxes.take_request(its);
        if (STEPPE_LIKELY(to < 0) || to == thread || part.size() <= kFew + its + its / 4) return;
        const V* const last = part.queue.data() + part.tail;
        const int64_t sent = (part.size() - its) / 2;
        part.tail -= sent;
        part.send_work(to, last - sent, last, part.level);
    }

    // Edges that may lower a cell.
    struct Found {
        V target[kMost + 1], from[kMost + 1];
    };

    // Whether the level was gone through to its end.
    bool walk(Mailboxes<V>& mailboxes, int thread, Part& part, const Halted& halted) {
        const int32_t hop = static_cast<int32_t>(part.level) + 1;
        const int64_t* const offsets = g_.offsets;  // in registers, whatever is written to the cells
        const V* const targets = g_.targets;
        Found found;
        int64_t count = 0, read = 0;  // of found; in registers, as the tail of the queue below
        for (int64_t left = part.size(); left > 0;) {
            if (halted.is() || watch_.stopped()) return false;
            const V* queue = part.queue.data() + part.head;
            const int64_t batch = std::min(left, kBatch), size = part.size();
            for (int64_t i = 0; i < batch; ++i) {
                if (i + kAhead < size) look_ahead(queue + i);
                const V u = queue[i];
                if (STEPPE_UNLIKELY(Cells::hops(LOAD(&cells_[u])) < hop - 1)) continue;  // found by fewer hops since
                const int64_t last = offsets[u + 1];
                const Cell mine = Cells::make(hop, u);
                read += last - offsets[u];
                for (int64_t e = offsets[u]; e < last;) {
                    const int64_t stop = std::min(last, e + kMost - count);
                    for (; e < stop; ++e) {
                        const V v = targets[e];
                        found.target[count] = v;
                        found.from[count] = u;
                        count += mine < LOAD(&cells_[v]);
                    }
                    if (STEPPE_LIKELY(e == last)) break;
                    lower(found, std::exchange(count, 0), hop, part);
                    queue = part.queue.data() + part.head;
                }
            }
            lower(found, std::exchange(count, 0), hop, part);
            part.head += batch;
            left -= batch;
            part.stats.edges_relaxed += std::exchange(read, 0);
            mailboxes.beat(thread);
        }
        return true;
    }

    void lower(const Found& found, int64_t count, int32_t hop, Part& part) {
        part.make_room(count + 1);
        V* const queue = part.queue.data();
        int64_t tail = part.tail;
        for (int64_t k = 0; k < count; ++k) {
            const Cell old = MIN(&cells_[found.target[k]], Cells::make(hop, found.from[k]));
            queue[tail] = found.target[k];
            tail += Cells::hops(old) > hop;
        }
        part.tail = tail;
        part.stats.atomics += count;
    }

    // As in narrow levels of one thread.
    void look_ahead(const V* queue) const {
        STEPPE_PREFETCH(&g_.offsets[queue[kAhead]]);
        STEPPE_PREFETCH(&g_.offsets[queue[kAhead] + 1]);
        const V nearer = queue[kAhead * 3 / 4], next = queue[kAhead / 2];
        STEPPE_PREFETCH(&g_.targets[g_.offsets[nearer]]);
        STEPPE_PREFETCH(&g_.targets[g_.offsets[nearer + 1] - 1]);
        const int64_t first = g_.offsets[next], last = g_.offsets[next + 1];
        if (first == last) return;
        STEPPE_PREFETCH_WRITE(&cells_[g_.targets[first]]);
        STEPPE_PREFETCH_WRITE(&cells_[g_.targets[last - 1]]);
    }

    const rows::Csr<V, int32_t>& g_;
    Cell* const cells_;
    const int64_t limit_, most_;
    Watch& watch_;
};

}  // namespace steppe::search
