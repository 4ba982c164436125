// State that every part of the stand-in driver shares: results, the lock, contexts, settings, the log.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <vector>

typedef int Result;
typedef unsigned long long Pointer;
enum {
    OK = 0,
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    INVALID_IMAGE = 200,
    INVALID_CONTEXT = 201,
    INVALID_HANDLE = 400,
    ILLEGAL_STATE = 401,
    NOT_FOUND = 500,
    ILLEGAL_ADDRESS = 700,
    LAUNCH_TIMEOUT = 702,
    LAUNCH_FAILED = 719,
    CAPTURE_UNSUPPORTED = 900,
    CAPTURE_INVALIDATED = 901,
    CAPTURE_MERGE = 902,
    CAPTURE_UNMATCHED = 903,
    CAPTURE_UNJOINED = 904,
    CAPTURE_ISOLATION = 905,
    CAPTURED_EVENT = 907,
    CAPTURE_WRONG_THREAD = 908
};
#define API extern "C" __attribute__((visibility("default"))) Result

namespace standin {

inline std::recursive_mutex mutex;
#define LOCKED std::lock_guard<std::recursive_mutex> hold(standin::mutex)

struct Context {};
inline Context contexts[8];                         // one for each device
inline thread_local std::vector<void*> entered{1};  // the last is current: none at first
inline bool known(void* context) { return context >= contexts && context < contexts + 8; }
inline int device_of(void* context) { return int(static_cast<Context*>(context) - contexts); }

// What a failed kernel left behind: every later call gives it back.
inline Result sticky = OK;
#define IN_CONTEXT                                                        \
    LOCKED;                                                               \
    if (!standin::known(standin::entered.back())) return INVALID_CONTEXT; \
    if (standin::sticky != OK) return standin::sticky

inline const char* setting(const char* name, const char* otherwise) { return getenv(name) ? getenv(name) : otherwise; }
inline size_t number(const char* name, const char* otherwise) {
    return strtoull(setting(name, otherwise), nullptr, 10);
}
inline const bool idle = getenv("STANDIN_IDLE") != nullptr;  // launches do nothing: what is left is the host's own time

// What was asked for, a line each, in order.
inline void note(const std::string& line) {
    static FILE* log = getenv("STANDIN_LOG") ? fopen(getenv("STANDIN_LOG"), "a") : nullptr;
    if (log) fprintf(log, "%s\n", line.c_str()), fflush(log);
}

}  // namespace standin
