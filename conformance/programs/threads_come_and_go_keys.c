//# states: 100,000 threads that come and go leave no memory behind, in a program that uses pthread keys
//# case: joined detached blocks_left
//# timeout: 120
//# alone
#define WITH_KEY
#include "threads_come_and_go.c"
