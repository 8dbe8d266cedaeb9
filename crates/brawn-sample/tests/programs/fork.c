// Its time is in a child's child; a signal comes to it meanwhile.
#include "turns.h"
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile unsigned long result, signals;

static void count(int number) {
    (void)number;
    signals++;
}

int main(void) {
    signal(SIGUSR1, count);
    pid_t child = fork();
    if (!child) {
        pid_t grandchild = fork();
        if (!grandchild) {
            unsigned long number = 1;
            begin(500);
            while (goes_on()) number = number * 6364136223846793005ul + 1442695040888963407ul;
            result = number;
            _exit(0);
        }
        int status;
        waitpid(grandchild, &status, 0);
        for (int i = 0; i < 5; i++)
            kill(getppid(), SIGUSR1);
        _exit(status != 0);
    }
    int status;
    while (waitpid(child, &status, 0) < 0);
    return status != 0 || signals == 0;
}
