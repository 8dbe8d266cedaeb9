// A program that replaces the two plain operators: all other forms come to them ([new.delete]).
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>

static int taken, given;

void *operator new(std::size_t size) {
  taken++;
  if (void *block = std::malloc(size ? size : 1)) return block;
  throw std::bad_alloc();
}
void operator delete(void *block) noexcept {
  given++;
  std::free(block);
}

int main() {
  int *volatile one = new int;
  delete one;
  if (taken != 1 || given != 1) return 1;
  int *volatile some = new int[100];
  delete[] some;
  if (taken != 2 || given != 2) return 2;
  some = new (std::nothrow) int[100];
  ::operator delete[](some, std::nothrow);
  if (taken != 3 || given != 3) return 3;
  ::operator delete(::operator new(10, std::nothrow), std::size_t(10));
  if (taken != 4 || given != 4) return 4;
  std::string *volatile text = new std::string(1000, 'x');
  if (taken != 6) return 5;
  delete text;
  if (given != 6) return 6;
  std::puts("all came to the program's own");
}
