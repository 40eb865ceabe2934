/* A least-significant-digit radix sort by a team of threads. */
#ifndef SORT_H
#define SORT_H

#include <stdint.h>

/* A key and where it stood, so that a test can see that equal keys keep their order. */
typedef struct {
  uint32_t key;
  uint32_t place;
} Record;

/* Sorts by key, in `digit_bits` bits a pass; stable. */
void sort_records(Record* records, int count, int threads, int digit_bits);

#endif
