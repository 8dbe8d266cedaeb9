//# states: exceptions are thrown and caught, across threads and out of memory, and bad_alloc comes from new
//# case: thrown nested bad_alloc new_handler in_threads rethrown out_of_memory
//# not-covered: qemu/*/out_of_memory: qemu-user has no RLIMIT_AS
#include "check.h"
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <sys/resource.h>
#include <thread>
#include <vector>

static std::string deep(int n) {
    std::string kept(n, 'x');
    if (n == 0) throw std::runtime_error("from the depth of " + std::string(1000, 'd'));
    return deep(n - 1) + kept;
}
static void thrown() {
    for (int i = 0; i < 2000; i++) {
        bool caught = false;
        try {
            deep(i % 50);
        } catch (const std::runtime_error &e) {
            caught = strncmp(e.what(), "from the depth", 14) == 0;
        }
        CHECK(caught, "round %d", i);
    }
}
static void nested() {
    try {
        try {
            deep(3);
        } catch (...) {
            std::throw_with_nested(std::logic_error("outer"));
        }
    } catch (const std::logic_error &e) {
        try {
            std::rethrow_if_nested(e);
            CHECK(false, "nothing was nested in %s", e.what());
        } catch (const std::runtime_error &inner) {
            CHECK(strncmp(inner.what(), "from", 4) == 0, "found %s", inner.what());
        }
    }
}
template <class F>
static bool is_bad_alloc(F f) {
    try {
        f();
    } catch (const std::bad_alloc &) {
        return true;
    }
    return false;
}
static void bad_alloc() {
    size_t huge = hidden_size((size_t)PTRDIFF_MAX - 100);
    for (int i = 0; i < 50; i++) {
        CHECK(is_bad_alloc([=] { hidden(::operator new(huge)); }), "new");
        CHECK(is_bad_alloc([=] { hidden(new char[huge]); }), "new[]");
        CHECK(is_bad_alloc([=] { hidden(::operator new(huge, std::align_val_t(64))); }), "aligned");
        CHECK(hidden(new (std::nothrow) char[huge]) == nullptr, "nothrow");
        CHECK(is_bad_alloc([=] { std::vector<char> v; v.reserve(huge); }), "vector");
    }
    struct alignas(256) Wide {
        char c[256];
    };
    auto wide = std::make_unique<Wide[]>(100);
    CHECK_SAME((uintptr_t)wide.get() % 256, 0);
}
static int handled;
static void new_handler() {
    std::set_new_handler([] {
        if (++handled == 3) std::set_new_handler(nullptr);
    });
    CHECK(is_bad_alloc([] { hidden(::operator new(hidden_size(PTRDIFF_MAX))); }), "new");
    CHECK_SAME(handled, 3);
}
static void in_threads() {
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; i++) threads.emplace_back(thrown);
    for (auto &t : threads) t.join();
}
static void rethrown() {
    for (int i = 0; i < 200; i++) {
        std::exception_ptr kept;
        std::thread([&] {
            try {
                deep(5);
            } catch (...) {
                kept = std::current_exception();
            }
        }).join();
        try {
            std::rethrow_exception(kept);
        } catch (const std::runtime_error &e) {
            CHECK(strlen(e.what()) > 1000, "found %s", e.what());
        }
    }
}
static void out_of_memory() {
    rlimit limit = {64 << 20, 64 << 20};
    NEED(setrlimit(RLIMIT_AS, &limit) == 0);
    std::vector<std::unique_ptr<char[]>> blocks;
    blocks.reserve(100000);
    CHECK(is_bad_alloc([&] { for (;;) blocks.emplace_back(new char[1000]); }), "no end");
    CHECK(blocks.size() > 20000, "%zu blocks", blocks.size());
    blocks.clear();
    thrown();
}

int main(int argc, char **argv) {
    static const check_case cases[] = {
        {"thrown", thrown}, {"nested", nested}, {"bad_alloc", bad_alloc},
        {"new_handler", new_handler}, {"in_threads", in_threads}, {"rethrown", rethrown},
        {"out_of_memory", out_of_memory}};
    return check_run(argc, argv, cases, sizeof cases / sizeof *cases);
}
