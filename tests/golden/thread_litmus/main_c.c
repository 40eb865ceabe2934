#include <stddef.h>

#include "litmus.h"

int main(int argc, char** argv) {
  const Litmus* const tables[] = {litmus_threads, litmus_mutexes, litmus_waiting,
                                  litmus_c11,     litmus_kernel,  NULL};
  return litmus_main(argc, argv, tables);
}
