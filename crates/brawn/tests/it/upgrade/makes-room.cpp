// A handler that makes room: operator new asks again, and gets its block.  The program's malloc fails until then.
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

static bool is_full;
static int refused;
alignas(4096) static char pool[1 << 20];
static std::size_t at;

static void *take(std::size_t size, std::size_t align) {
  if (is_full) {
    refused++;
    errno = ENOMEM;
    return nullptr;
  }
  at = (at + align - 1) & ~(align - 1);
  void *block = pool + at;
  at += size;
  return at <= sizeof pool ? block : nullptr;
}

extern "C" {
void *malloc(std::size_t size) { return take(size, 16); }
void free(void *) {}
void *calloc(std::size_t count, std::size_t size) { return take(count * size, 16); }
void *realloc(void *block, std::size_t size) {
  void *larger = take(size, 16);
  if (block && larger) std::memcpy(larger, block, size);
  return larger;
}
void *aligned_alloc(std::size_t align, std::size_t size) { return take(size, align); }
}

int main() {
  for (int round = 0; round < 2; round++) {
    is_full = true;
    refused = 0;
    std::set_new_handler([] {
      if (refused == 2) is_full = false;
    });
    void *block = round == 0 ? ::operator new(100) : ::operator new(100, std::align_val_t{1024});
    if (!block || refused != 2 || block < pool || block >= pool + sizeof pool) return 1 + round;
  }
  std::puts("there is room");
}
