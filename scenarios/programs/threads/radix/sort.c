#include "sort.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "barrier.h"

enum { key_bits = 32 };

typedef struct {
  Record* from;
  Record* to;
  int count;
  int threads;
  int digit_bits;
  int* histograms; /* a row of 2 ^ digit_bits for each thread */
  int* starts;     /* where each digit's records begin, over all threads */
  Barrier barrier;
} Team;

typedef struct {
  Team* team;
  int number;
  pthread_t thread;
} Member;

static int digits(const Team* team) {
  return 1 << team->digit_bits;
}

static int digit_of(const Team* team, uint32_t key, int shift) {
  return (int)(key >> shift) & (digits(team) - 1);
}

static int first_of(const Team* team, int number) {
  return (int)((long)team->count * number / team->threads);
}

static void count_digits(const Team* team, const Member* me, int shift, const Record* from) {
  int* mine = &team->histograms[me->number * digits(team)];
  memset(mine, 0, (size_t)digits(team) * sizeof(int));
  const int last = first_of(team, me->number + 1);
  for (int i = first_of(team, me->number); i < last; ++i)
    ++mine[digit_of(team, from[i].key, shift)];
}

/* One thread adds up the totals, while the others wait. */
static void add_up(const Team* team) {
  int start = 0;
  for (int digit = 0; digit < digits(team); ++digit) {
    team->starts[digit] = start;
    for (int thread = 0; thread < team->threads; ++thread) {
      start += team->histograms[thread * digits(team) + digit];
    }
  }
}

/* Where this thread's first record of each digit goes: behind those of the threads before it. */
static void find_places(const Team* team, const Member* me, int* places) {
  memcpy(places, team->starts, (size_t)digits(team) * sizeof(int));
  for (int thread = 0; thread < me->number; ++thread) {
    const int* theirs = &team->histograms[thread * digits(team)];
    for (int digit = 0; digit < digits(team); ++digit) places[digit] += theirs[digit];
  }
}

static void permute(const Team* team, const Member* me, int shift, const Record* from, Record* to,
                    int* places) {
  const int last = first_of(team, me->number + 1);
  for (int i = first_of(team, me->number); i < last; ++i) {
    to[places[digit_of(team, from[i].key, shift)]++] = from[i];
  }
}

static void* run_member(void* argument) {
  const Member* me = argument;
  Team* team = me->team;
  Record *from = team->from, *to = team->to;
  int* places = malloc((size_t)digits(team) * sizeof(int));
  for (int shift = 0; shift < key_bits; shift += team->digit_bits) {
    count_digits(team, me, shift, from);
    barrier_wait(&team->barrier);
    if (me->number == 0) add_up(team);
    barrier_wait(&team->barrier);
    find_places(team, me, places);
    permute(team, me, shift, from, to, places);
    barrier_wait(&team->barrier);
    Record* kept = from;
    from = to;
    to = kept;
  }
  free(places);
  return NULL;
}

static void* allocate(size_t count, size_t bytes) {
  void* memory = calloc(count, bytes);
  if (memory != NULL) return memory;
  fprintf(stderr, "radix: no memory\n");
  exit(2);
}

void sort_records(Record* records, int count, int threads, int digit_bits) {
  Team team = {.from = records, .count = count, .threads = threads, .digit_bits = digit_bits};
  team.to = allocate((size_t)count, sizeof(Record));
  team.histograms = allocate((size_t)threads << digit_bits, sizeof(int));
  team.starts = allocate((size_t)1 << digit_bits, sizeof(int));
  Member* members = allocate((size_t)threads, sizeof(Member));
  barrier_init(&team.barrier, threads);
  for (int i = 0; i < threads; ++i) {
    members[i].team = &team;
    members[i].number = i;
    if (i > 0 && pthread_create(&members[i].thread, NULL, run_member, &members[i]) != 0) {
      fprintf(stderr, "radix: cannot start thread %d\n", i);
      exit(2);
    }
  }
  run_member(&members[0]);
  for (int i = 1; i < threads; ++i) pthread_join(members[i].thread, NULL);
  /* After an odd number of passes the result lies in the other array. */
  if ((key_bits + digit_bits - 1) / digit_bits % 2 == 1) {
    memcpy(records, team.to, (size_t)count * sizeof(Record));
  }
  barrier_destroy(&team.barrier);
  free(members);
  free(team.starts);
  free(team.histograms);
  free(team.to);
}
