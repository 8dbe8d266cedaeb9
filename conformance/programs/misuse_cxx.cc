//# states: a delete that does not fit its new ends a program by a signal, or lets it go on: no other end
//# case: deletes
//# profile: secure
//# timeout: 60
/* tests/misuse_table.rs makes the table of docs/security.md from what this prints, and holds profile secure to
 * what musl's own heap ends. */
#include "misused.h"
#include <new>

namespace {

/* With a destructor, so that an array has its count in front. */
struct Item {
    char text[8];
    ~Item() { text[0] = 0; }
};

void one_of_an_array(size_t n) {
    Item *p = new Item[n / sizeof(Item)];
    delete (Item *)hidden(p);
}
void an_array_of_one(size_t n) {
    char *front = block(n); /* its bytes are not zero, as they may be in front of a real one */
    Item *p = ::new (hidden(::operator new(n))) Item;
    free(front);
    /* What `delete[] p` gives back, were the count in front of it one. */
    ::operator delete[](hidden((char *)p - sizeof(size_t)));
}
void plain_array(size_t n) { delete (char *)hidden(new char[n]); }
void size_too_large(size_t n) { ::operator delete(hidden(::operator new(n)), hidden_size(n + 1)); }
void size_too_small(size_t n) { ::operator delete(hidden(::operator new(n)), hidden_size(n - 1)); }
void array_size_too_large(size_t n) { ::operator delete[](hidden(::operator new[](n)), hidden_size(n * 2)); }
void freed_block(size_t n) { free(hidden(new char[n])); }

void deletes() {
    misused("one-of-an-array", one_of_an_array);
    misused("an-array-of-one", an_array_of_one);
    misused("plain-array", plain_array);
    misused("size-too-large", size_too_large);
    misused("size-too-small", size_too_small);
    misused("array-size", array_size_too_large);
    misused("new-and-free", freed_block);
}

}  // namespace

RUN_CASES({"deletes", deletes})
