/* Draws from a seed: the same ones on every rank and machine that asks with the same keys. */
#ifndef RANDOM_H
#define RANDOM_H

#include <stdint.h>

typedef struct {
  uint64_t state;
} Random;

/* Spreads a number's bits over all 64 (the finalizer of SplitMix64). */
static inline uint64_t scramble(uint64_t number) {
  number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9U;
  number = (number ^ (number >> 27)) * 0x94d049bb133111ebU;
  return number ^ (number >> 31);
}

static inline Random random_of(uint64_t seed, uint64_t first_key, uint64_t second_key) {
  return (Random){scramble(scramble(scramble(seed) + first_key) + second_key)};
}

static inline uint64_t draw(Random* random) {
  random->state += 0x9e3779b97f4a7c15U;
  return scramble(random->state);
}

/* From 0 to limit - 1; limit > 0. */
static inline int below(Random* random, int limit) {
  return (int)(draw(random) % (uint64_t)limit);
}

static inline int one_in(Random* random, int times) {
  return below(random, times) == 0;
}

/* An index into `weights`, each as likely as it says. */
static inline int weighted(Random* random, const int* weights, int count) {
  int total = 0;
  for (int i = 0; i < count; ++i) total += weights[i];
  int left = below(random, total);
  for (int i = 0; i < count; ++i) {
    if (left < weights[i]) return i;
    left -= weights[i];
  }
  return count - 1;
}

#endif
