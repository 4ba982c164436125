// Streams and events of the stand-in driver.
#pragma once
#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>

#include "state.hpp"

namespace standin {

typedef std::function<Result()> Operation;
struct Capture;

struct Stream {
    void* context = entered.back();
    std::deque<Operation> todo;
    std::shared_ptr<Capture> capture;  // what is enqueued goes there, whoever enqueues it
    uint64_t done = 0;
    uint64_t issued() const { return done + todo.size(); }
};
struct Event {
    Stream* stream = nullptr;
    uint64_t position = 0;
    std::shared_ptr<Capture> capture;  // in which it was recorded
};

inline std::vector<Stream*> streams;
inline size_t number_of(void* stream) { return std::find(streams.begin(), streams.end(), stream) - streams.begin(); }

void drain(Stream* stream, uint64_t position);
Result drain_all();
Result enqueue(void* stream, Operation operation);

}  // namespace standin
