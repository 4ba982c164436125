// Locks that a forked child finds open, and what they guard whole: a thread is within one whenever the process forks.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <thread>

#include "base/lock.hpp"

using steppe::Lock;

static Lock guarding, other;
static std::atomic<int> first{0}, second{0};  // equal whenever nobody is within `guarding`
static std::atomic<bool> within{false}, done{false};

[[noreturn]] static void wrong(const char* what) {
    std::printf("wrong: %s\n", what);
    std::fflush(stdout);
    _exit(1);
}

static void keep_writing() {
    while (!done) {
        const std::lock_guard<Lock> hold(guarding);
        ++first;
        within = true;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        ++second;
        within = false;
    }
}

int main() {
    alarm(60);  // what waits for ever is ended
    Lock::survive_forks();
    { const Lock gone; }
    std::thread writer(keep_writing);
    for (int i = 0; i < 5; ++i) {
        while (!within) std::this_thread::yield();
        const pid_t child = fork();
        if (child == 0) {
            alarm(5);
            const std::lock_guard<Lock> hold(guarding), too(other);
            _exit(first == second ? 0 : 3);
        }
        int status = 0;
        waitpid(child, &status, 0);
        if (WIFSIGNALED(status)) wrong("a child waits for a lock");
        if (WEXITSTATUS(status) == 3) wrong("a child sees what is half written");
        if (WEXITSTATUS(status) != 0) wrong("a child cannot take a lock");
    }
    done = true;
    writer.join();
    const std::lock_guard<Lock> hold(guarding), too(other);  // the parent's are open, too
}
