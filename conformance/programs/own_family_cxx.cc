//# states: operator new of the C++ library takes the blocks of a program's own malloc family
//# own-heap
//# object: own/family.c
#include "check.h"
#include "own/pool.h"
#include <string>
#include <vector>

int main() {
    std::vector<int> numbers(1000);
    std::string text(1000, 'x');
    struct alignas(256) Wide {
        char c[256];
    };
    Wide *wide = new Wide;
    CHECK(in_pool(numbers.data()) && in_pool(text.data()), "%p", (void *)numbers.data());
    CHECK(in_pool(wide) && (uintptr_t)wide % 256 == 0, "%p", (void *)wide);
    delete wide;
    try {
        throw std::string("thrown");
    } catch (const std::string &s) {
        CHECK_SAME(s.size(), 6);
    }
    CHECK_SAME(pool_foreign, 0);
    return check_result();
}
