/* What a rank knows: its hash so far, what it has under way, and where it can talk. */
#ifndef STATE_H
#define STATE_H

#include <mpi.h>
#include <stdint.h>

#include "random.h"

enum { RANKS_MAX = 8, WORDS_MAX = 2048, MESSAGES_MAX = 4 };

typedef struct {
  uint64_t seed;
  int rounds;
  int is_small;     /* few ranks and messages, for a search of all schedules */
  int messages_max; /* from one rank to another in an exchange */
  int with_clocks;
  int keeps_named; /* cancels no receive that names its source */
} Settings;

/* One message of `list.requests[i]`: what arrives is folded into the rank's hash. */
typedef struct {
  uint64_t* words;
  MPI_Comm comm;
  int is_receive;
  int source, tag; /* as the receive asks */
  int no_padding;  /* no byte is left over, for it would have what the stack happened to have */
} Slot;

/* Requests under way, as `MPI_Waitany` and its kin want them. */
typedef struct {
  MPI_Request* requests;
  Slot* slots;
  int count, capacity;
} List;

enum { COLLECTIVES_MAX = 64 };

/* A non-blocking collective that is completed rounds later. */
typedef struct {
  MPI_Request request;
  uint64_t sent[RANKS_MAX], received[RANKS_MAX];
  int folded; /* how many words of `received` count */
} Collective;

/* A communicator as the patterns see it. */
typedef struct {
  MPI_Comm comm;
  int rank, size;
  int remote_size;   /* 0: not an intercommunicator */
  uint64_t key;      /* tells groups of one split apart: they draw for themselves */
  int takes_any_tag; /* all receives here ask for MPI_ANY_SOURCE and MPI_ANY_TAG */
} Group;

typedef struct {
  Settings settings;
  int rank, size;
  int round;
  uint64_t hash;
  uint64_t clocks;
  Random own;    /* draws of this rank alone, which change nothing that others must know */
  List sends;    /* not complete before the last round */
  List receives; /* likewise */
  Collective collectives[COLLECTIVES_MAX];
  int collective_count;
  Group world, any_tag, halves, thirds, between;
} Rank;

/* Takes a number into the hash; the order of the numbers matters. */
static inline void fold(Rank* rank, uint64_t number) {
  rank->hash = scramble(rank->hash * 0x9e3779b97f4a7c15U + number + 1);
}

/* Ends the job: MPI or this program is wrong. */
void fail(const Rank* rank, const char* what);

#endif
