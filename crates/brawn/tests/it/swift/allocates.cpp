// The same in C++: streams, exceptions through threads, every kind of new and delete.
#include <cstdint>
#include <iostream>
#include <memory>
#include <new>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

// Freed when its thread ends.
static thread_local std::string last;

struct alignas(256) Aligned {
  char bytes[300];
};

static bool all_kinds_of_new() {
  std::unique_ptr<int> one(new int(7));
  std::unique_ptr<std::string[]> many(new std::string[50]);
  std::unique_ptr<Aligned> aligned(new Aligned);
  std::unique_ptr<Aligned[]> table(new Aligned[3]);
  std::unique_ptr<char[]> perhaps(new (std::nothrow) char[100]);
  std::unique_ptr<Aligned> both(new (std::nothrow) Aligned);
  const auto is_aligned = [](const void *block) { return reinterpret_cast<std::uintptr_t>(block) % 256 == 0; };
  return *one == 7 && many && perhaps && is_aligned(aligned.get()) && is_aligned(&table[1]) && is_aligned(both.get());
}

static bool too_much_is_an_exception() {
  volatile std::size_t size = PTRDIFF_MAX;
  // Without it compilers leave a pair of new and delete out.
  static char *volatile block;
  block = new (std::nothrow) char[size];
  if (block) return false;
  try {
    block = new char[size];
    delete[] block;
  } catch (const std::bad_alloc &) {
    return true;
  }
  return false;
}

int main() {
  std::vector<std::thread> threads;
  std::vector<std::string> said(4);
  for (int n = 0; n < 4; n++)
    threads.emplace_back([n, &said] {
      std::unordered_map<std::string, std::vector<int>> map;
      try {
        for (int i = 0; i < 2000; i++) {
          std::ostringstream key;
          key << "a key that is too long for the string itself " << i % 100;
          last = key.str();
          map[last].push_back(i);
          if (i == 1500 + n) throw std::runtime_error(last);
        }
      } catch (const std::exception &error) {
        said[n] = error.what();
      }
    });
  for (auto &thread : threads) thread.join();
  for (int n = 0; n < 4; n++)
    if (said[n].back() != '0' + n) return 1;
  if (!all_kinds_of_new()) return 2;
  if (!too_much_is_an_exception()) return 3;
  std::cout << "said by " << threads.size() << " threads" << std::endl;
}
