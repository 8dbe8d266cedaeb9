//# states: destructors of thread_local objects allocate and free, in threads that exit and in main
#include "check.h"
#include <string>
#include <thread>
#include <vector>

static int gone;
struct Local {
    std::vector<std::string> texts;
    ~Local() {
        texts.push_back(std::string(5000, 'a'));
        CHECK_SAME(texts.size(), 11);
        std::vector<std::string> copy(texts);
        texts.clear();
        std::string other(100000, 'b');
        CHECK_SAME(copy.size() + other.size(), 100011);
        __atomic_add_fetch(&gone, 1, __ATOMIC_SEQ_CST);
    }
};
thread_local Local first;
thread_local std::string second(100, 'x');

static void use() {
    for (int i = 0; i < 10; i++) first.texts.push_back(std::string(i * 30, 'c'));
    second += second;
    CHECK_SAME(second.size(), 200);
}
static void judge() {
    if (gone != 401 || check_failures) {
        check_say("%d of 401 destructors ran, %d failures\n", gone, check_failures);
        _exit(1);
    }
}
int main() {
    atexit(judge);
    for (int round = 0; round < 100; round++) {
        std::vector<std::thread> threads;
        for (int i = 0; i < 4; i++) threads.emplace_back(use);
        for (auto &t : threads) t.join();
    }
    CHECK_SAME(gone, 400);
    use();
    return check_result();
}
