#include <stdio.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <stdint.h>
#ifndef ALIGN
#define ALIGN 16
#endif
#if !defined(NOTLS)
#ifdef TDATA
__thread const char *name __attribute__((aligned(ALIGN))) = "a name";
__thread long number = 77;
#endif
__thread char block[100] __attribute__((aligned(ALIGN)));
__thread int y;
#endif
#ifdef BSS
static char big[64 << 20];
#endif
__attribute__((noinline)) long probe(void){ __asm__ volatile("nop;nop;nop;nop;nop;nop;nop;nop":::"memory"); return -1;}
static void show(const char *who){
  char *p = malloc(1000); memset(p, 1, 1000);
  printf("%s", who);
#ifndef NOTLS
#ifdef TDATA
  printf(" %s %ld", name, number); number++;
  printf(" %d", (int)((uintptr_t)&name % ALIGN));
#endif
  for (int i = 0; i < 100; i++) if (block[i]) abort();
  printf(" %d %d", (int)((uintptr_t)block % ALIGN), y); y = 5; memset(block, 3, 100);
#endif
#ifdef BSS
  for (size_t i = 0; i < sizeof big; i += 4096) if (big[i]) abort();
  big[100]=0;
#endif
  printf("\n"); free(p);
}
static void *run(void *a){ show(a); return (void*)probe(); }
int main(int argc, char **argv){
  show("main");
  for (int i = 0; i < 2; i++) { pthread_t t; void *r; if (pthread_create(&t, 0, run, "thread")) return 1; pthread_join(t, &r); if (argc > 1) printf("probe %ld\n", (long)r); }
  if (argc > 1) { printf("probe %ld\n", probe()); printf("probe %ld\n", probe()); }
  return 0; }
