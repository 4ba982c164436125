// A library to be loaded before libc: lets the n-th system call that changes files in one folder fail, or ends the
// process there.
//
// Python, NumPy's zip files, zstandard and pyarrow all reach the disk through these functions. A call is counted when
// its path, or the file behind its descriptor, lies below the folder that faults_watch() names. Calls that only tidy up
// (close, unlink) are left alone.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum Mode { ONCE, EVER_AFTER, KILL, SHORT };

static char folder[PATH_MAX];
static long counted, limit;  // limit 0: count only
static int mode, error_number;

void faults_watch(const char* path) {
    if (!realpath(path, folder)) folder[0] = 0;
}

void faults_arm(long n, int how, int number) {
    counted = 0;
    limit = n;
    mode = how;
    error_number = number;
}

long faults_count(void) { return counted; }

static int below(const char* path) {
    const size_t length = strlen(folder);
    return length && strncmp(path, folder, length) == 0;
}

static int watched_fd(int fd) {
    char name[64], path[PATH_MAX];
    if (!folder[0]) return 0;
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    const ssize_t length = readlink(name, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return below(path);
}

// Returns 1 where this call is to fail, with errno set.
static int fails(int watched) {
    if (!watched) return 0;
    ++counted;
    if (!limit || counted < limit || (mode != EVER_AFTER && counted > limit)) return 0;
    if (mode == KILL) kill(getpid(), SIGKILL);
    errno = error_number;
    return 1;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

// A write may also store a part only, as it does when the disk is nearly full.
#define WRITER(name, TYPES, ARGUMENTS)                 \
    ssize_t name TYPES {                               \
        if (fails(watched_fd(fd))) {                   \
            if (mode != SHORT || count < 2) return -1; \
            count /= 2;                                \
        }                                              \
        return REAL(name) ARGUMENTS;                   \
    }
WRITER(write, (int fd, const void* data, size_t count), (fd, data, count))
WRITER(pwrite, (int fd, const void* data, size_t count, off_t at), (fd, data, count, at))
#ifdef __GLIBC__  // which has other names for the same functions
WRITER(pwrite64, (int fd, const void* data, size_t count, off64_t at), (fd, data, count, at))
int ftruncate64(int fd, off64_t size) { return fails(watched_fd(fd)) ? -1 : REAL(ftruncate64)(fd, size); }
int posix_fallocate64(int fd, off64_t at, off64_t size) {
    return fails(watched_fd(fd)) ? error_number : REAL(posix_fallocate64)(fd, at, size);
}
#endif

ssize_t writev(int fd, const struct iovec* parts, int count) {
    return fails(watched_fd(fd)) ? -1 : REAL(writev)(fd, parts, count);
}
int fsync(int fd) { return fails(watched_fd(fd)) ? -1 : REAL(fsync)(fd); }
int fdatasync(int fd) { return fails(watched_fd(fd)) ? -1 : REAL(fdatasync)(fd); }
int ftruncate(int fd, off_t size) { return fails(watched_fd(fd)) ? -1 : REAL(ftruncate)(fd, size); }
int fchmod(int fd, mode_t mode) { return fails(watched_fd(fd)) ? -1 : REAL(fchmod)(fd, mode); }
int posix_fallocate(int fd, off_t at, off_t size) {
    return fails(watched_fd(fd)) ? error_number : REAL(posix_fallocate)(fd, at, size);
}
int rename(const char* from, const char* to) { return fails(below(to)) ? -1 : REAL(rename)(from, to); }
int link(const char* from, const char* to) { return fails(below(to)) ? -1 : REAL(link)(from, to); }
int linkat(int a, const char* from, int b, const char* to, int flags) {
    return fails(below(to)) ? -1 : REAL(linkat)(a, from, b, to, flags);
}

// Opening to read may fail, too, where it is a folder that is to be brought to the disk.
#define OPENER(name)                                                                             \
    int name(const char* path, int flags, ...) {                                                 \
        mode_t permissions = 0;                                                                  \
        if ((flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE) {                             \
            va_list list;                                                                        \
            va_start(list, flags);                                                               \
            permissions = va_arg(list, mode_t);                                                  \
            va_end(list);                                                                        \
        }                                                                                        \
        const int writes = (flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_DIRECTORY)); \
        return fails(writes && below(path)) ? -1 : REAL(name)(path, flags, permissions);         \
    }
OPENER(open)
#ifdef __GLIBC__
OPENER(open64)
#endif
