//# states: strings, containers, streams, shared pointers and threads of C++ work on the heap
//# case: containers threads streams
#include "check.h"
#include <algorithm>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

static void work(int seed) {
    std::map<std::string, std::vector<int>> ordered;
    std::unordered_map<int, std::string> hashed;
    std::list<std::string> list;
    std::deque<std::unique_ptr<int>> queue;
    for (int i = 0; i < 20000; i++) {
        int n = (i * 7919 + seed) % 3000;
        ordered["key " + std::to_string(n)].push_back(i);
        hashed[n] += "x";
        list.push_front(std::string(n % 100, 'l'));
        if (list.size() > 500) list.pop_back();
        queue.push_back(std::make_unique<int>(i));
        if (queue.size() > 300) queue.pop_front();
    }
    CHECK_SAME(ordered.size(), 3000);
    CHECK_SAME(hashed.size(), 3000);
    size_t count = 0;
    for (auto &[key, value] : ordered) count += value.size();
    CHECK_SAME(count, 20000);
    CHECK_SAME(*queue.front(), 19700);
    list.sort();
    CHECK(std::is_sorted(list.begin(), list.end()), "%zu", list.size());
}
static void containers() { work(0); }
static void threads() {
    /* Shared pointers and closures die on other threads than those that made them. */
    std::mutex lock;
    std::vector<std::shared_ptr<std::string>> shared;
    std::vector<std::thread> all;
    for (int i = 0; i < 4; i++)
        all.emplace_back([&, i] {
            work(i);
            for (int k = 0; k < 5000; k++) {
                auto text = std::make_shared<std::string>(k % 500, 't');
                std::lock_guard<std::mutex> held(lock);
                shared.push_back(text);
                if (k % 3 == 0) {
                    shared[k % shared.size()].swap(shared.back());
                    shared.pop_back();
                }
            }
        });
    for (auto &t : all) t.join();
    CHECK(shared.size() > 10000, "%zu", shared.size());
    shared.clear();
}
static void streams() {
    std::ostringstream out;
    for (int i = 0; i < 20000; i++) out << i << ' ' << i * 0.5 << '\n';
    std::istringstream in(out.str());
    int count = 0;
    for (std::string line; std::getline(in, line);) count++;
    CHECK_SAME(count, 20000);
}

int main(int argc, char **argv) {
    static const check_case cases[] = {
        {"containers", containers}, {"threads", threads}, {"streams", streams}};
    return check_run(argc, argv, cases, sizeof cases / sizeof *cases);
}
