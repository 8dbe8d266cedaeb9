//# states: static objects' constructors and destructors allocate
#include "check.h"
#include <map>
#include <memory>
#include <string>
#include <vector>

struct Keeper {
    std::map<std::string, std::vector<int>> numbers;
    Keeper() {
        for (int i = 0; i < 1000; i++) numbers[std::to_string(i % 100)].push_back(i);
    }
    ~Keeper() {
        CHECK_SAME(numbers.size(), 100);
        numbers.clear();
        auto more = std::make_unique<std::string>(100000, 'x');
        if (check_failures || more->size() != 100000) _exit(1);
    }
};
static Keeper keeper;
static std::string text(1000, 'y');
static Keeper &local() {
    static Keeper here;
    return here;
}

int main() {
    CHECK_SAME(keeper.numbers["7"].size(), 10);
    CHECK_SAME(local().numbers["8"].size(), 10);
    CHECK_SAME(text.size(), 1000);
    text.assign(100000, 'z');
    return check_result();
}
