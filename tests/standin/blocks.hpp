// Runs the blocks of a launch on host threads, and the threads of a block as fibers on one of them.
//
// A fiber is needed only where a thread meets a barrier: one that returns without is followed on the same stack by the
// next. The threads of a block start in ascending order in one launch and descending in the next, so that a kernel
// cannot rely on either. A barrier that not all threads of a block reach is an error here (on a GPU it may hang), and
// so is a block that meets at too many: a driver's watchdog ends launches that take long.
//
// swapcontext would ask the kernel twice to keep the signal mask, so it only begins a fiber; later a jump goes to and
// fro. Fibers wait for the next launch on the thread that has made them.
#pragma once
#include <setjmp.h>
#include <ucontext.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace standin {

struct Kernel {
    std::string name;
    void (*call)(void**);
    void (*enter)(unsigned, unsigned, unsigned, unsigned, void (*)());
    std::vector<int> sizes;
    std::vector<bool> pointers;
};

enum class Ending { good, failed, late };

struct Fiber {
    ucontext_t context;
    jmp_buf place;
    std::unique_ptr<char[]> stack;
    unsigned thread = 0;
    bool begun = false, finished = false;
};

struct Worker {
    static constexpr size_t stack_bytes = 64 * 1024;
    const Kernel& kernel;
    void** arguments;
    unsigned threads, blocks;
    bool descending;
    jmp_buf scheduler;
    Fiber* current = nullptr;
    static thread_local Worker* self;
    static thread_local std::vector<std::unique_ptr<Fiber>> fibers;
    static thread_local std::vector<Fiber*> idle;

    static void barrier() {
        if (!_setjmp(self->current->place)) _longjmp(self->scheduler, 1);
    }
    static void resume(Fiber& fiber) {
        if (_setjmp(self->scheduler)) return;
        if (fiber.begun) _longjmp(fiber.place, 1);
        fiber.begun = true;
        setcontext(&fiber.context);
    }

    static void body() {
        for (;;) {
            self->kernel.call(self->arguments);
            self->current->finished = true;
            barrier();
        }
    }

    static void prepare(Fiber& fiber) {
        fiber.stack.reset(new char[stack_bytes]);
        getcontext(&fiber.context);
        fiber.context.uc_stack.ss_sp = fiber.stack.get();
        fiber.context.uc_stack.ss_size = stack_bytes;
        fiber.context.uc_link = nullptr;
        makecontext(&fiber.context, body, 0);
    }

    Fiber* take() {
        if (idle.empty()) {
            fibers.push_back(std::make_unique<Fiber>());
            prepare(*fibers.back());
            return fibers.back().get();
        }
        Fiber* found = idle.back();
        idle.pop_back();
        return found;
    }

    // Whether the block ended well: its threads agree about every barrier, and do not meet at more than `most` of them.
    Ending run(unsigned block, unsigned long most) {
        self = this;
        std::vector<Fiber*> waiting;
        auto step = [&](Fiber* fiber) {
            current = fiber;
            fiber->finished = false;
            kernel.enter(fiber->thread, block, threads, blocks, barrier);
            resume(*fiber);
            (fiber->finished ? idle : waiting).push_back(fiber);
        };
        for (unsigned i = 0; i < threads; i++) {
            Fiber* fiber = take();
            fiber->thread = descending ? threads - 1 - i : i;
            step(fiber);
        }
        for (unsigned long met = 0; !waiting.empty(); met++) {
            if (waiting.size() != threads)
                return Ending::failed;  // those that wait are left in the middle of the kernel
            if (met == most) return Ending::late;
            std::vector<Fiber*> round;
            round.swap(waiting);
            std::reverse(round.begin(), round.end());
            for (Fiber* fiber : round) step(fiber);
        }
        return Ending::good;
    }
};
inline thread_local Worker* Worker::self = nullptr;
inline thread_local std::vector<std::unique_ptr<Fiber>> Worker::fibers;
inline thread_local std::vector<Fiber*> Worker::idle;

inline Ending run_blocks(const Kernel& kernel, unsigned blocks, unsigned threads, void** arguments,
                         unsigned long most) {
    static std::atomic<unsigned> launches{0};
    bool descending = launches++ % 2;
    std::atomic<unsigned> next{0};
    std::atomic<Ending> ending{Ending::good};
    auto work = [&] {
        Worker worker{kernel, arguments, threads, blocks, descending, {}, nullptr};
        for (unsigned block = next++; block < blocks && ending == Ending::good; block = next++) {
            const Ending one = worker.run(block, most);
            if (one != Ending::good) ending = one;
        }
    };
    unsigned workers = std::min(blocks, std::max(2u, std::min(8u, std::thread::hardware_concurrency())));
    std::vector<std::thread> others;
    for (unsigned i = 1; i < workers; i++) others.emplace_back(work);
    work();
    for (auto& other : others) other.join();
    return ending;
}

}  // namespace standin
