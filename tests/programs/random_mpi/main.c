/* Random MPI operations: random_mpi [FLAGS] SEED [ROUNDS], on 2 to 8 ranks. All ranks draw the same
 * plan from the seed, which has no deadlock, no leak and no error, whatever the schedule; what each
 * rank receives in which order goes into a hash, which it sends on, and prints at the end. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "messages.h"
#include "patterns.h"

enum { ROUNDS_MAX = 1000, BUFFERED_BYTES = 4 << 20 };
enum { KEY_PLAN = 1, KEY_OWN = 2, KEY_ROUNDS = 3 };

void fail(const Rank* rank, const char* what) {
  fprintf(stderr, "random_mpi: seed %" PRIu64 ", rank %d, round %d: %s\n", rank->settings.seed,
          rank->rank, rank->round, what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static int number_of(const char* text, uint64_t* number) {
  char* end = NULL;
  errno = 0;
  *number = strtoull(text, &end, 0);
  return errno == 0 && end != text && *end == '\0' && *text != '-';
}

typedef struct {
  Settings first;
  uint64_t programs; /* one after the other, of this seed and those that follow */
  int has_rounds;
} Arguments;

/* 0: they are not understood. */
static int understood(int argc, char** argv, Arguments* arguments) {
  uint64_t numbers[2] = {0}, messages_max = 0;
  int count = 0;
  arguments->programs = 1;
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "--small") == 0) {
      arguments->first.is_small = 1;
    } else if (strcmp(argv[i], "--messages") == 0 && i + 1 < argc) {
      if (!number_of(argv[++i], &messages_max)) return 0;
    } else if (strcmp(argv[i], "--clocks") == 0) {
      arguments->first.with_clocks = 1;
    } else if (strcmp(argv[i], "--keep-named") == 0) {
      arguments->first.keeps_named = 1;
    } else if (strcmp(argv[i], "--programs") == 0 && i + 1 < argc) {
      if (!number_of(argv[++i], &arguments->programs)) return 0;
    } else if (count == 2 || !number_of(argv[i], &numbers[count++])) {
      return 0;
    }
  }
  arguments->first.seed = numbers[0];
  arguments->first.rounds = (int)numbers[1];
  arguments->has_rounds = count == 2;
  if (messages_max == 0) messages_max = arguments->first.is_small ? 1 : 2;
  arguments->first.messages_max = (int)messages_max;
  return count > 0 && numbers[1] <= ROUNDS_MAX && messages_max <= MESSAGES_MAX;
}

static Settings settings_of(const Arguments* arguments, uint64_t program) {
  Settings settings = arguments->first;
  settings.seed += program;
  Random random = random_of(settings.seed, KEY_ROUNDS, 0);
  if (!arguments->has_rounds)
    settings.rounds = settings.is_small ? 1 + below(&random, 3) : 6 + below(&random, 12);
  return settings;
}

static Group group_of(MPI_Comm comm, uint64_t key) {
  Group group = {.comm = comm, .key = key};
  MPI_Comm_rank(comm, &group.rank);
  MPI_Comm_size(comm, &group.size);
  return group;
}

static Group split(const Rank* rank, int color) {
  MPI_Comm comm;
  MPI_Comm_split(MPI_COMM_WORLD, color, rank->rank, &comm);
  return group_of(comm, (uint64_t)color);
}

typedef enum { PLACE_WORLD, PLACE_ANY_TAG, PLACE_HALVES, PLACE_THIRDS, PLACE_BETWEEN } Place;

/* Where a round takes place; the rest of its plan is drawn from `plan` afterwards. */
static Place place_of(const Settings* settings, int round, Random* plan) {
  static const int weights[] = {10, 4, 2, 2, 2};
  *plan = random_of(settings->seed, KEY_PLAN, (uint64_t)round);
  return (Place)weighted(plan, weights, settings->is_small ? PLACE_HALVES : PLACE_BETWEEN + 1);
}

/* Few steps before the first round: a search of all schedules has them in each run. */
static void begin_small(Rank* rank) {
  Random plan;
  for (int round = 0; round < rank->settings.rounds; ++round) {
    if (place_of(&rank->settings, round, &plan) != PLACE_ANY_TAG || rank->any_tag.size > 0)
      continue;
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    rank->any_tag = group_of(comm, 0);
  }
}

static void begin(Rank* rank) {
  const int half = rank->size / 2, is_upper = rank->rank >= half;
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  rank->any_tag = group_of(comm, 0);
  rank->halves = split(rank, is_upper);
  rank->thirds = split(rank, rank->rank % 3);
  MPI_Intercomm_create(rank->halves.comm, 0, MPI_COMM_WORLD, is_upper ? 0 : half, INTERCOMM_TAG,
                       &comm);
  rank->between = group_of(comm, (uint64_t)is_upper);
  MPI_Comm_remote_size(comm, &rank->between.remote_size);
}

static void group_freed(Group* group) {
  if (group->size > 0) MPI_Comm_free(&group->comm);
}

static void end(Rank* rank) {
  collectives_completed(rank);
  list_completed(rank, &rank->receives);
  list_completed(rank, &rank->sends);
  group_freed(&rank->between);
  group_freed(&rank->thirds);
  group_freed(&rank->halves);
  group_freed(&rank->any_tag);
}

static void play_within(Rank* rank, const Group* group, Random* plan) {
  static const int weights[] = {10, 3, 3, 2, 4, 1, 2, 2};
  const int first_in_large = 5; /* what takes many steps */
  const int count = rank->settings.is_small ? first_in_large : sizeof weights / sizeof *weights;
  Random own = random_of(draw(plan), group->key, 0); /* groups of a split differ from here on */
  switch (weighted(plan, weights, count)) {
    case 0: exchange(rank, group, &own); break;
    case 1: farm(rank, group, &own); break;
    case 2: ring(rank, group, &own); break;
    case 3: ready(rank, group, &own); break;
    case 4: odds_and_ends(rank, group, &own); break;
    case 5: exchange_on_copy(rank, group, &own); break;
    case 6: collective(rank, group, &own); break;
    default: collective_begun(rank, group, &own); break;
  }
}

static void play(Rank* rank) {
  const Settings* settings = &rank->settings;
  Random plan;
  const Place place = place_of(settings, rank->round, &plan);
  rank->own =
      random_of(settings->seed + (uint64_t)rank->rank * 0x10001, KEY_OWN, (uint64_t)rank->round);
  switch (place) {
    case PLACE_WORLD: play_within(rank, &rank->world, &plan); break;
    case PLACE_ANY_TAG: exchange(rank, &rank->any_tag, &plan); break;
    case PLACE_HALVES: play_within(rank, &rank->halves, &plan); break;
    case PLACE_THIRDS: play_within(rank, &rank->thirds, &plan); break;
    case PLACE_BETWEEN:
      if (one_in(&plan, 6)) {
        collective(rank, &rank->between, &plan);
      } else {
        exchange(rank, &rank->between, &plan);
      }
  }
  if (settings->with_clocks) rank->clocks = scramble(rank->clocks + (uint64_t)(MPI_Wtime() * 1e9));
  if (one_in(&rank->own, 8)) {
    printf("rank %d, round %d: %016" PRIx64 "\n", rank->rank, rank->round, rank->hash);
    fflush(stdout);
  }
}

static void play_program(const Settings* settings) {
  Rank rank = {.settings = *settings};
  MPI_Comm_rank(MPI_COMM_WORLD, &rank.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &rank.size);
  rank.hash = scramble((uint64_t)rank.rank + 1);
  void* buffer = malloc(BUFFERED_BYTES);
  int buffer_bytes = BUFFERED_BYTES;
  MPI_Buffer_attach(buffer, buffer_bytes);
  rank.world = group_of(MPI_COMM_WORLD, 0);
  if (rank.settings.is_small) {
    begin_small(&rank);
  } else {
    begin(&rank);
  }
  rank.any_tag.takes_any_tag = 1;
  for (rank.round = 0; rank.round < rank.settings.rounds; ++rank.round) play(&rank);
  end(&rank);
  MPI_Buffer_detach(&buffer, &buffer_bytes);
  free(buffer);
  printf("rank %d: %016" PRIx64 "\n", rank.rank, rank.hash);
  if (rank.settings.with_clocks)
    printf("rank %d, clocks: %016" PRIx64 "\n", rank.rank, rank.clocks);
}

int main(int argc, char** argv) {
  Arguments arguments = {0};
  int rank = 0, size = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (!understood(argc, argv, &arguments) || size < 2 || size > RANKS_MAX) {
    if (rank == 0) {
      fprintf(stderr,
              "usage: random_mpi [--small] [--messages N] [--clocks] [--keep-named] [--programs N] "
              "SEED "
              "[ROUNDS], on 2 to 8 ranks\n");
    }
    MPI_Finalize();
    return 2;
  }
  for (uint64_t program = 0; program < arguments.programs; ++program) {
    const Settings settings = settings_of(&arguments, program);
    play_program(&settings);
  }
  MPI_Finalize();
  return 0;
}
