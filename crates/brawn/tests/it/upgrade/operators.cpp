// Every form of operator new and delete, as the standard has them ([new.delete]).  AS_MIMALLOC leaves out what
// mimalloc, compiled as C, does otherwise: it ends the program where the standard throws.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <map>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#define CHECK(what) \
  do { \
    if (!(what)) { \
      std::printf("line %d: %s\n", __LINE__, #what); \
      std::exit(1); \
    } \
  } while (0)

// More than any address space has, and not known to the compiler.
static volatile std::size_t huge = std::numeric_limits<std::size_t>::max() / 2 - 4096;
static volatile std::size_t small = 100;

static bool is_aligned(void *block, std::size_t to) { return reinterpret_cast<std::uintptr_t>(block) % to == 0; }

struct alignas(256) Wide {
  char bytes[300];
};
struct Throws {
  Throws() { throw std::runtime_error("from a constructor"); }
};
struct alignas(128) WideThrows {
  WideThrows() { throw std::runtime_error("from a constructor"); }
};

static void forms() {
  const std::align_val_t align{512};
  void *block = ::operator new(small);
  CHECK(block);
  ::operator delete(block);
  ::operator delete(::operator new(small), std::size_t(small));
  ::operator delete(::operator new(small, std::nothrow), std::nothrow);
  ::operator delete[](::operator new[](small));
  ::operator delete[](::operator new[](small), std::size_t(small));
  ::operator delete[](::operator new[](small, std::nothrow), std::nothrow);

  CHECK(is_aligned(block = ::operator new(small, align), 512));
  ::operator delete(block, align);
  CHECK(is_aligned(block = ::operator new(small, align), 512));
  ::operator delete(block, small, align);
  CHECK(is_aligned(block = ::operator new(small, align, std::nothrow), 512));
  ::operator delete(block, align, std::nothrow);
  CHECK(is_aligned(block = ::operator new[](small, align), 512));
  ::operator delete[](block, align);
  CHECK(is_aligned(block = ::operator new[](small, align), 512));
  ::operator delete[](block, small, align);
  CHECK(is_aligned(block = ::operator new[](small, align, std::nothrow), 512));
  ::operator delete[](block, align, std::nothrow);
  // Alignments below a pointer's, and of pages.
  for (std::size_t to = 1; to <= 65536; to *= 2) {
    CHECK(is_aligned(block = ::operator new(3, std::align_val_t{to}), to));
    ::operator delete(block, std::align_val_t{to});
  }

  // Nothing has an address, too.
  void *first = ::operator new(0), *second = ::operator new(0);
  CHECK(first && second && first != second);
  ::operator delete(first);
  ::operator delete(second);
  CHECK((first = ::operator new(0, align)));
  ::operator delete(first, align);
  ::operator delete(nullptr);
  ::operator delete[](nullptr);
  ::operator delete(nullptr, align);

  Wide *wide = new Wide[3];
  CHECK(is_aligned(wide, 256));
  delete[] wide;
  std::unique_ptr<Wide> one(new Wide);
  CHECK(is_aligned(one.get(), 256));
  int *ints = new (std::nothrow) int[10];
  CHECK(ints);
  delete[] ints;

  // Which gives the block back on its way.
  for (int n = 0; n < 3; n++) {
    bool caught = false;
    try {
      if (n == 0) new Throws;
      if (n == 1) new WideThrows;
      if (n == 2) new Throws[2];
    } catch (const std::runtime_error &) {
      caught = true;
    }
    CHECK(caught);
  }
  std::map<std::string, std::vector<std::string>> map;
  for (int n = 0; n < 1000; n++) map[std::to_string(n % 50)].push_back(std::string(n, 'x'));
  CHECK(map.size() == 50 && map["49"].back().size() == 999);
}

template <typename F> static bool throws_bad_alloc(F f) {
  try {
    void *volatile block = f();
    (void)block;
  } catch (const std::bad_alloc &error) {
    return error.what() && *error.what();
  }
  return false;
}

static void failures() {
  const std::align_val_t align{512};
  CHECK(throws_bad_alloc([] { return ::operator new(huge); }));
  CHECK(throws_bad_alloc([] { return ::operator new[](huge); }));
  CHECK(throws_bad_alloc([=] { return ::operator new(huge, align); }));
  CHECK(throws_bad_alloc([=] { return ::operator new[](huge, align); }));
  CHECK(throws_bad_alloc([] { return new char[huge]; }));
  bool caught = false;
  try {
    std::vector<char> too_large;
    too_large.reserve(huge / 2);
  } catch (const std::exception &) {
    caught = true;
  }
  CHECK(caught);
  CHECK(!::operator new(huge, std::nothrow));
  CHECK(!::operator new[](huge, std::nothrow));
  CHECK(!::operator new(huge, align, std::nothrow));
  CHECK(!::operator new[](huge, align, std::nothrow));
  // From another thread's stack.
  bool other = false;
  std::thread([&] { other = throws_bad_alloc([] { return ::operator new(huge); }); }).join();
  CHECK(other);
}

static int asked;
struct Mine : std::bad_alloc {};

static void handlers() {
  const std::align_val_t align{512};
  // It is asked until it gives up.
  const std::new_handler give_up = [] {
    if (++asked == 3) std::set_new_handler(nullptr);
  };
  asked = 0;
  std::set_new_handler(give_up);
  CHECK(throws_bad_alloc([] { return ::operator new(huge); }) && asked == 3);
  asked = 0;
  std::set_new_handler(give_up);
  CHECK(throws_bad_alloc([=] { return ::operator new[](huge, align); }) && asked == 3);
  asked = 0;
  std::set_new_handler(give_up);
  CHECK(!::operator new[](huge, std::nothrow) && asked == 3);

  // What it throws passes through; where nothing may, there is no block.
  void *block = nullptr;
  asked = 0;
  std::set_new_handler([] {
    asked++;
    throw Mine();
  });
  bool mine = false;
  try {
    block = ::operator new(huge);
  } catch (const Mine &) {
    mine = true;
  }
  CHECK(mine && !block && asked == 1);
  mine = false;
  try {
    block = ::operator new(huge, align);
  } catch (const Mine &) {
    mine = true;
  }
  CHECK(mine && asked == 2);
  CHECK(!::operator new(huge, std::nothrow) && asked == 3);
  CHECK(!::operator new(huge, align, std::nothrow) && asked == 4);
  CHECK(!::operator new[](huge, align, std::nothrow) && asked == 5);
  // Whatever it throws.
  std::set_new_handler([] { throw 7; });
  CHECK(!::operator new(huge, std::nothrow));
  std::set_new_handler(nullptr);
}

int main() {
  forms();
#if !AS_MIMALLOC
  failures();
  handlers();
#endif
  std::puts("operators are right");
}
