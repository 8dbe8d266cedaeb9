//# states: a program's own operator new and delete link and are the ones that are used
#include "check.h"
#include <map>
#include <new>
#include <string>
#include <thread>
#include <vector>

static long taken, given;
static void *take(size_t n, size_t alignment) {
    __atomic_add_fetch(&taken, 1, __ATOMIC_SEQ_CST);
    void *p = alignment > 16 ? aligned_alloc(alignment, n) : malloc(n);
    if (!p) throw std::bad_alloc();
    return p;
}
static void give(void *p) {
    if (p) __atomic_add_fetch(&given, 1, __ATOMIC_SEQ_CST);
    free(p);
}
void *operator new(size_t n) { return take(n, 16); }
void *operator new[](size_t n) { return take(n, 16); }
void *operator new(size_t n, std::align_val_t a) { return take(n, (size_t)a); }
void *operator new[](size_t n, std::align_val_t a) { return take(n, (size_t)a); }
void operator delete(void *p) noexcept { give(p); }
void operator delete[](void *p) noexcept { give(p); }
void operator delete(void *p, size_t) noexcept { give(p); }
void operator delete[](void *p, size_t) noexcept { give(p); }
void operator delete(void *p, std::align_val_t) noexcept { give(p); }
void operator delete[](void *p, std::align_val_t) noexcept { give(p); }
void operator delete(void *p, size_t, std::align_val_t) noexcept { give(p); }
void operator delete[](void *p, size_t, std::align_val_t) noexcept { give(p); }

static void work() {
    std::map<std::string, std::string> map;
    for (int i = 0; i < 1000; i++) map[std::to_string(i)] = std::string(i, 'x');
    CHECK_SAME(map["999"].size(), 999);
    struct alignas(128) Wide {
        char c[128];
    };
    std::vector<Wide> wide(10);
    CHECK_SAME((uintptr_t)wide.data() % 128, 0);
    delete[] new (std::nothrow) char[100];
}

int main() {
    long before = taken - given;
    work();
    std::thread(work).join();
    CHECK(taken > 2000, "%ld", taken);
    CHECK_SAME(taken - given, before);
    return check_result();
}
