// C++'s operators new and delete, as the standard has them ([new.delete]): what a C++ runtime lacks whose member for
// them was taken out because a heap in libc.a brought its own.
//
// One operator to an object: the build script names it (BRAWN_SUPPLY_<name>, in the ABI's words: nw new, na new[],
// dl delete, da delete[]; then m sized, a aligned, n nothrow).  Each calls the others by their public names, so that a
// program that replaces `operator new(std::size_t)` alone has its arrays from there, too.
//
// No header of any C++ library is asked: what is declared here is the same in libc++abi and libstdc++, whichever the
// program has.
#include "note.h"

using size_t = decltype(sizeof 0);

extern "C" {
void *malloc(size_t size) noexcept;
int posix_memalign(void **block, size_t alignment, size_t size) noexcept;
void free(void *block) noexcept;
// C23's, where the heap has it: a program with a heap of its own gets no other one for it.
[[gnu::weak]] void free_sized(void *block, size_t size) noexcept;
}

namespace std {
enum class align_val_t : size_t {};
struct nothrow_t {
  explicit nothrow_t() = default;
};
using new_handler = void (*)();
new_handler get_new_handler() noexcept;

// Their constructors do nothing in every library, and are in no archive of some: inline here.  What has a table of
// functions or a type's name comes from the library, by the first function that is not inline.
class exception {
public:
  exception() noexcept {}
  virtual ~exception() noexcept;
  virtual const char *what() const noexcept;
};
class bad_alloc : public exception {
public:
  bad_alloc() noexcept {}
  ~bad_alloc() noexcept override;
  const char *what() const noexcept override;
};
} // namespace std

#define SUPPLIED [[gnu::weak, gnu::visibility("default")]]

// Operators whose blocks are malloc's of that very size, and go to free: whoever is in this section is one of them.
#define PLAIN SUPPLIED [[gnu::section("brawn_operators")]]

#if BRAWN_SUPPLY_dl_m || BRAWN_SUPPLY_da_m || BRAWN_SUPPLY_dl_ma || BRAWN_SUPPLY_da_ma
// Where it begins and ends, which every linker says (nobody has it where a program brings all of them).
extern "C" [[gnu::weak, gnu::visibility("hidden")]] const char __start_brawn_operators[], __stop_brawn_operators[];

template <typename Function> static inline bool is_plain(Function *function) {
  const char *const at = reinterpret_cast<const char *>(function);
  return at >= __start_brawn_operators && at < __stop_brawn_operators;
}

// What a sized delete says of the block holds for the heap's block only if the program has neither the new nor the
// delete of its own.  Nothing was asked for as one byte.
static inline bool give_back_sized(void *block, size_t size, bool plain) {
  if (!free_sized || !plain) return false;
  free_sized(block, size ? size : 1);
  return true;
}

typedef void *New(size_t);
typedef void *AlignedNew(size_t, std::align_val_t);
typedef void Delete(void *) noexcept;
typedef void AlignedDelete(void *, std::align_val_t) noexcept;
#endif

#if BRAWN_SUPPLY_nw || BRAWN_SUPPLY_nw_a
// Asks until there is a block: between two attempts the program's handler makes room, or throws, or ends the program.
template <typename Attempt> static inline void *insist(Attempt attempt) {
  for (;;) {
    if (void *const block = attempt()) return block;
    const std::new_handler handler = std::get_new_handler();
    if (!handler) throw std::bad_alloc();
    handler();
  }
}
#endif

#if BRAWN_SUPPLY_nw
PLAIN void *operator new(size_t size) {
  // Nothing is an object, too, with an address of its own.
  return insist([=] { return malloc(size ? size : 1); });
}
#elif BRAWN_SUPPLY_nw_a
PLAIN void *operator new(size_t size, std::align_val_t align) {
  // What posix_memalign takes; stricter is as good.
  const size_t alignment = size_t(align) < sizeof(void *) ? sizeof(void *) : size_t(align);
  return insist([=]() -> void * {
    void *block;
    return posix_memalign(&block, alignment, size ? size : 1) == 0 ? block : nullptr;
  });
}
#elif BRAWN_SUPPLY_na
PLAIN void *operator new[](size_t size) { return ::operator new(size); }
#elif BRAWN_SUPPLY_na_a
PLAIN void *operator new[](size_t size, std::align_val_t align) { return ::operator new(size, align); }
#elif BRAWN_SUPPLY_nw_n
SUPPLIED void *operator new(size_t size, const std::nothrow_t &) noexcept {
  try {
    return ::operator new(size);
  } catch (...) {
    return nullptr;
  }
}
#elif BRAWN_SUPPLY_na_n
SUPPLIED void *operator new[](size_t size, const std::nothrow_t &) noexcept {
  try {
    return ::operator new[](size);
  } catch (...) {
    return nullptr;
  }
}
#elif BRAWN_SUPPLY_nw_an
SUPPLIED void *operator new(size_t size, std::align_val_t align, const std::nothrow_t &) noexcept {
  try {
    return ::operator new(size, align);
  } catch (...) {
    return nullptr;
  }
}
#elif BRAWN_SUPPLY_na_an
SUPPLIED void *operator new[](size_t size, std::align_val_t align, const std::nothrow_t &) noexcept {
  try {
    return ::operator new[](size, align);
  } catch (...) {
    return nullptr;
  }
}
#elif BRAWN_SUPPLY_dl
PLAIN void operator delete(void *block) noexcept { free(block); }
#elif BRAWN_SUPPLY_dl_a
PLAIN void operator delete(void *block, std::align_val_t) noexcept { free(block); }
#elif BRAWN_SUPPLY_da
PLAIN void operator delete[](void *block) noexcept { ::operator delete(block); }
#elif BRAWN_SUPPLY_da_a
PLAIN void operator delete[](void *block, std::align_val_t align) noexcept { ::operator delete(block, align); }
#elif BRAWN_SUPPLY_dl_m
SUPPLIED void operator delete(void *block, size_t size) noexcept {
  const bool plain = is_plain<New>(::operator new) && is_plain<Delete>(::operator delete);
  if (!give_back_sized(block, size, plain)) ::operator delete(block);
}
#elif BRAWN_SUPPLY_da_m
SUPPLIED void operator delete[](void *block, size_t size) noexcept {
  const bool plain = is_plain<New>(::operator new) && is_plain<Delete>(::operator delete);
  const bool arrays = is_plain<New>(::operator new[]) && is_plain<Delete>(::operator delete[]);
  if (!give_back_sized(block, size, plain && arrays)) ::operator delete[](block);
}
#elif BRAWN_SUPPLY_dl_ma
SUPPLIED void operator delete(void *block, size_t size, std::align_val_t align) noexcept {
  const bool plain = is_plain<AlignedNew>(::operator new) && is_plain<AlignedDelete>(::operator delete);
  if (!give_back_sized(block, size, plain)) ::operator delete(block, align);
}
#elif BRAWN_SUPPLY_da_ma
SUPPLIED void operator delete[](void *block, size_t size, std::align_val_t align) noexcept {
  const bool plain = is_plain<AlignedNew>(::operator new) && is_plain<AlignedDelete>(::operator delete);
  const bool arrays = is_plain<AlignedNew>(::operator new[]) && is_plain<AlignedDelete>(::operator delete[]);
  if (!give_back_sized(block, size, plain && arrays)) ::operator delete[](block, align);
}
#elif BRAWN_SUPPLY_dl_n
SUPPLIED void operator delete(void *block, const std::nothrow_t &) noexcept { ::operator delete(block); }
#elif BRAWN_SUPPLY_da_n
SUPPLIED void operator delete[](void *block, const std::nothrow_t &) noexcept { ::operator delete[](block); }
#elif BRAWN_SUPPLY_dl_an
SUPPLIED void operator delete(void *block, std::align_val_t align, const std::nothrow_t &) noexcept {
  ::operator delete(block, align);
}
#elif BRAWN_SUPPLY_da_an
SUPPLIED void operator delete[](void *block, std::align_val_t align, const std::nothrow_t &) noexcept {
  ::operator delete[](block, align);
}
#else
#error "BRAWN_SUPPLY_<name> of an operator"
#endif
