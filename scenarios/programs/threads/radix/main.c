/* radix [COUNT] [THREADS] [DIGIT_BITS]: sorts random keys and looks whether they are. */
#include <stdio.h>
#include <stdlib.h>

#include "sort.h"

static uint32_t key_of(uint64_t place) {
  uint64_t z = (place + 1) * 0x9e3779b97f4a7c15UL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9UL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebUL;
  /* Some keys are equal, for the order of equal ones. */
  return (uint32_t)(z >> 32) & ~(uint32_t)(place % 3 == 0 ? 0x00ffffff : 0);
}

/* Sorted, stable, and nothing but what was there. */
static int is_wrong(const Record* records, int count) {
  for (int i = 0; i < count; ++i) {
    if (records[i].place >= (uint32_t)count || records[i].key != key_of(records[i].place)) {
      printf("wrong: record %d is not one of those that were sorted\n", i);
      return 1;
    }
    if (i == 0) continue;
    const Record *before = &records[i - 1], *here = &records[i];
    const int ordered =
        before->key < here->key || (before->key == here->key && before->place < here->place);
    if (!ordered) {
      printf("wrong: record %d does not follow record %d\n", i, i - 1);
      return 1;
    }
  }
  return 0;
}

static int argument(int argc, char** argv, int i, int otherwise, int most) {
  const int value = argc > i ? atoi(argv[i]) : otherwise;
  if (value < 1 || value > most) {
    fprintf(stderr, "usage: radix [COUNT] [THREADS] [DIGIT_BITS]: at least 1, bits at most 16\n");
    exit(2);
  }
  return value;
}

int main(int argc, char** argv) {
  const int count = argument(argc, argv, 1, 2000, 1 << 30);
  const int threads = argument(argc, argv, 2, 4, 1 << 20);
  const int digit_bits = argument(argc, argv, 3, 8, 16);
  Record* records = calloc((size_t)count, sizeof(Record));
  if (records == NULL) {
    fprintf(stderr, "radix: no memory\n");
    return 2;
  }
  for (int i = 0; i < count; ++i) {
    records[i].key = key_of((uint64_t)i);
    records[i].place = (uint32_t)i;
  }
  sort_records(records, count, threads, digit_bits);
  uint64_t hash = 14695981039346656037UL;
  for (int i = 0; i < count; ++i) hash = (hash ^ records[i].key) * 1099511628211UL;
  printf("radix of %d keys: smallest %08x, largest %08x, hash %016lx\n", count, records[0].key,
         records[count - 1].key, (unsigned long)hash);
  const int wrong = is_wrong(records, count);
  free(records);
  return wrong;
}
