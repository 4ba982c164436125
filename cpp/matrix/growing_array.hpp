// GrowingArray: an array that grows without being copied where the system can move pages (mremap), so that a result of
// unknown size never takes twice its size. Capacity that is not used has no memory behind it.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <type_traits>
#include <utility>
#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace steppe::matrix {

template <class T>
class GrowingArray {
    static_assert(std::is_trivially_copyable_v<T>);

  public:
    GrowingArray() = default;
    GrowingArray(GrowingArray&& other) noexcept { *this = std::move(other); }
    GrowingArray& operator=(GrowingArray&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(room_, other.room_);
        return *this;
    }
    ~GrowingArray() {
#if defined(__linux__)
        if (data_) munmap(static_cast<void*>(data_), bytes(room_));
#else
        std::free(data_);
#endif
    }

    T* data() { return data_; }
    const T* data() const { return data_; }
    size_t size() const { return size_; }
    // What is there stays, what is new is not initialised.
    void resize(size_t size) {
        if (size > room_) reserve(std::max(size, room_ + room_ / 2));
        size_ = size;
    }
    // Gives back what is not used.
    void fit() {
        if (size_ && size_ < room_) reserve(size_);
    }

  private:
#if defined(__linux__)
    static size_t bytes(size_t room) { return (room * sizeof(T) + 4095) / 4096 * 4096; }
    void reserve(size_t room) {
        void* moved = data_ ? mremap(static_cast<void*>(data_), bytes(room_), bytes(room), MREMAP_MAYMOVE)
                            : mmap(nullptr, bytes(room), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (moved == MAP_FAILED) throw std::bad_alloc();
        data_ = static_cast<T*>(moved);
        room_ = room;
        madvise(moved, bytes(room), MADV_HUGEPAGE);
    }
#else
    void reserve(size_t room) {
        void* moved = std::realloc(static_cast<void*>(data_), room * sizeof(T));
        if (!moved) throw std::bad_alloc();
        data_ = static_cast<T*>(moved);
        room_ = room;
    }
#endif
    T* data_ = nullptr;
    size_t size_ = 0, room_ = 0;
};

}  // namespace steppe::matrix
