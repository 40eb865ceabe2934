// Collective operations on intercommunicators (MPI 3.1, section 5.2.3): data of all sizes against
// what each rank can work out, and what is wrong with calls.
#include <string>
#include <vector>

#include "mpi_collective_data.hpp"

using namespace mpi_collectives;

namespace {

// Two groups, of the ranks below `lows` and of the others; the leaders are not their first ranks.
struct Groups {
  Groups(int world_rank, int ranks, int lows) : rank(world_rank), is_low(world_rank < lows) {
    MPI_Comm group = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, is_low ? 0 : 1, rank, &group);
    MPI_Intercomm_create(group, is_low ? lows - 1 : ranks - lows - 1, MPI_COMM_WORLD,
                         is_low ? ranks - 1 : lows - 1, 5, &comm);
    MPI_Comm_free(&group);
    MPI_Comm_rank(comm, &own);
    MPI_Comm_size(comm, &size);
    MPI_Comm_remote_size(comm, &others);
    first_other = is_low ? lows : 0;
  }
  ~Groups() { MPI_Comm_free(&comm); }
  Groups(const Groups&) = delete;
  Groups& operator=(const Groups&) = delete;

  // The argument for this rank, if the root is that rank of MPI_COMM_WORLD.
  [[nodiscard]] int root(int world_root) const {
    const int there = world_root - first_other;
    if (there >= 0 && there < others) return there;
    return world_root == rank ? MPI_ROOT : MPI_PROC_NULL;
  }

  int rank;
  bool is_low;
  MPI_Comm comm = MPI_COMM_NULL;
  int own = 0;
  int size = 0;
  int others = 0;
  int first_other = 0;  // rank in MPI_COMM_WORLD
};

struct Shape {
  int ranks;
  int lows;
};

void between_groups(const std::vector<int>& counts,
                    const std::function<void(const Case&, const Groups&)>& program) {
  for (const auto& [ranks, lows] : {Shape{2, 1}, Shape{5, 2}, Shape{13, 12}}) {
    for (const int count : counts) {
      for (const Form form : {Form::blocking, Form::non_blocking}) {
        for (const std::uint64_t seed : {0U, 1U, 2U}) {
          const Case now{ranks, count, form};
          const auto outcome = mpi_machine::run(
              {.ranks = ranks, .seed = seed, .eager_bytes = seed == 1 ? 0U : 65536U},
              [&](int rank) {
                const Groups groups(rank, ranks, lows);
                program(now, groups);
              });
          INFO("ranks " << ranks << ", low " << lows << ", count " << count << ", seed " << seed);
          CHECK(mpi_machine::first_message(outcome) == "");
          REQUIRE(outcome.is_clean());
        }
      }
    }
  }
}

std::vector<double> room(std::size_t size) {
  return std::vector<double>(size, -1.0);
}

// What the ranks from `first` on have, one after the other.
std::vector<double> all_of(int first, int ranks, int count) {
  std::vector<double> values;
  for (int rank = first; rank < first + ranks; ++rank) append(values, elements(rank, count));
  return values;
}

std::vector<double> sum_of(int first, int ranks, int count) {
  auto sum = std::vector<double>(static_cast<std::size_t>(count), 0.0);
  for (int rank = first; rank < first + ranks; ++rank)
    for (int index = 0; index < count; ++index)
      sum[static_cast<std::size_t>(index)] += element(rank, index);
  return sum;
}

// The finding of two groups of two ranks each.
std::string finding_of(const std::function<void(const Groups&)>& program) {
  const auto outcome = mpi_machine::run({.ranks = 4}, [&](int rank) {
    const Groups groups(rank, 4, 2);
    program(groups);
  });
  return mpi_machine::first_message(outcome);
}

}  // namespace

TEST_CASE("rooted operations between two groups take data from the one to the other") {
  between_groups({0, 1, 300, 20'000}, [](const Case& now, const Groups& groups) {
    const int count = now.count;
    const auto bytes = static_cast<std::size_t>(count);
    for (const int world_root : {0, now.ranks - 1}) {
      const int root = groups.root(world_root);
      const bool is_root = root == MPI_ROOT;
      const auto mine = elements(groups.rank, count);
      auto data = is_root ? mine : room(bytes);
      perform(
          now.form, [&] { return MPI_Bcast(data.data(), count, MPI_DOUBLE, root, groups.comm); },
          [&](MPI_Request* request) {
            return MPI_Ibcast(data.data(), count, MPI_DOUBLE, root, groups.comm, request);
          });
      orrery::check(data == (root == MPI_PROC_NULL ? room(bytes) : elements(world_root, count)));
      const auto theirs = all_of(groups.first_other, groups.others, count);
      auto all = room(theirs.size());
      perform(
          now.form,
          [&] {
            return MPI_Gather(mine.data(), count, MPI_DOUBLE, all.data(), count, MPI_DOUBLE, root,
                              groups.comm);
          },
          [&](MPI_Request* request) {
            return MPI_Igather(mine.data(), count, MPI_DOUBLE, all.data(), count, MPI_DOUBLE, root,
                               groups.comm, request);
          });
      orrery::check(all == (is_root ? theirs : room(theirs.size())));
      auto part = room(bytes);
      perform(
          now.form,
          [&] {
            return MPI_Scatter(theirs.data(), count, MPI_DOUBLE, part.data(), count, MPI_DOUBLE,
                               root, groups.comm);
          },
          [&](MPI_Request* request) {
            return MPI_Iscatter(theirs.data(), count, MPI_DOUBLE, part.data(), count, MPI_DOUBLE,
                                root, groups.comm, request);
          });
      orrery::check(part == (root >= 0 ? mine : room(bytes)));
      auto sum = room(bytes);
      perform(
          now.form,
          [&] {
            return MPI_Reduce(mine.data(), sum.data(), count, MPI_DOUBLE, MPI_SUM, root,
                              groups.comm);
          },
          [&](MPI_Request* request) {
            return MPI_Ireduce(mine.data(), sum.data(), count, MPI_DOUBLE, MPI_SUM, root,
                               groups.comm, request);
          });
      orrery::check(sum ==
                    (is_root ? sum_of(groups.first_other, groups.others, count) : room(bytes)));
    }
  });
}

TEST_CASE("operations without a root give each group what comes from the other") {
  between_groups({1, 300, 20'000}, [](const Case& now, const Groups& groups) {
    const int count = now.count;
    const auto mine = elements(groups.rank, count);
    const auto theirs = all_of(groups.first_other, groups.others, count);
    auto all = room(theirs.size());
    perform(
        now.form,
        [&] {
          return MPI_Allgather(mine.data(), count, MPI_DOUBLE, all.data(), count, MPI_DOUBLE,
                               groups.comm);
        },
        [&](MPI_Request* request) {
          return MPI_Iallgather(mine.data(), count, MPI_DOUBLE, all.data(), count, MPI_DOUBLE,
                                groups.comm, request);
        });
    orrery::check(all == theirs);
    // Rank r there has a part of its own for each rank here.
    std::vector<double> outgoing;
    std::vector<double> expected;
    for (int other = 0; other < groups.others; ++other) {
      append(outgoing, elements(groups.rank, count, other));
      append(expected, elements(groups.first_other + other, count, groups.own));
    }
    auto incoming = room(expected.size());
    perform(
        now.form,
        [&] {
          return MPI_Alltoall(outgoing.data(), count, MPI_DOUBLE, incoming.data(), count,
                              MPI_DOUBLE, groups.comm);
        },
        [&](MPI_Request* request) {
          return MPI_Ialltoall(outgoing.data(), count, MPI_DOUBLE, incoming.data(), count,
                               MPI_DOUBLE, groups.comm, request);
        });
    orrery::check(incoming == expected);
    auto sum = room(mine.size());
    perform(
        now.form,
        [&] {
          return MPI_Allreduce(mine.data(), sum.data(), count, MPI_DOUBLE, MPI_SUM, groups.comm);
        },
        [&](MPI_Request* request) {
          return MPI_Iallreduce(mine.data(), sum.data(), count, MPI_DOUBLE, MPI_SUM, groups.comm,
                                request);
        });
    orrery::check(sum == sum_of(groups.first_other, groups.others, count));
    // In all as many elements here as there: what a rank gets is the larger the fewer they are.
    const int block = groups.others * (count / 100 + 1);
    const auto whole = elements(groups.rank, block * groups.size);
    const auto sums = sum_of(groups.first_other, groups.others, block * groups.size);
    auto part = room(static_cast<std::size_t>(block));
    perform(
        now.form,
        [&] {
          return MPI_Reduce_scatter_block(whole.data(), part.data(), block, MPI_DOUBLE, MPI_SUM,
                                          groups.comm);
        },
        [&](MPI_Request* request) {
          return MPI_Ireduce_scatter_block(whole.data(), part.data(), block, MPI_DOUBLE, MPI_SUM,
                                           groups.comm, request);
        });
    const auto begin = sums.begin() + static_cast<std::ptrdiff_t>(block) * groups.own;
    orrery::check(part == std::vector<double>(begin, begin + block));
  });
}

TEST_CASE("a barrier of two groups keeps each until all of the other have come") {
  for (const Form form : {Form::blocking, Form::non_blocking}) {
    for (const std::uint64_t seed : {0U, 1U, 2U, 3U}) {
      int come = 0;
      const auto outcome = mpi_machine::run({.ranks = 7, .seed = seed}, [&](int rank) {
        const Groups groups(rank, 7, 3);
        MPI_Barrier(MPI_COMM_WORLD);
        come += groups.is_low ? 1 : 100;
        perform(
            form, [&] { return MPI_Barrier(groups.comm); },
            [&](MPI_Request* request) { return MPI_Ibarrier(groups.comm, request); });
        orrery::check(groups.is_low ? come / 100 == 4 : come % 100 == 3);
      });
      CHECK(mpi_machine::first_message(outcome) == "");
    }
  }
}

TEST_CASE("one line of the statistics tells how an operation between two groups went") {
  orrery::CollectiveCounts counts;
  const auto outcome = mpi_machine::run({.ranks = 4, .counts = &counts}, [&](int rank) {
    const Groups groups(rank, 4, 2);
    double data = 1.0;
    double result = 0.0;
    MPI_Bcast(&data, 1, MPI_DOUBLE, groups.root(3), groups.comm);
    MPI_Allreduce(&data, &result, 1, MPI_DOUBLE, MPI_SUM, groups.comm);
  });
  CHECK(outcome.is_clean());
  std::string text;
  for (const auto& [operation, algorithm, count] : counts.entries())
    text += operation + " " + algorithm + " " + std::to_string(count) + "; ";
  CHECK(text == "MPI_Bcast by the first ranks 1; MPI_Allreduce by the first ranks 1; ");
}

TEST_CASE("roots of two groups that do not fit together are found") {
  const auto broadcast = [](const std::function<int(const Groups&)>& root) {
    return finding_of([&](const Groups& groups) {
      int data = 0;
      MPI_Bcast(&data, 1, MPI_INT, root(groups), groups.comm);
    });
  };
  // Both groups have a root.
  CHECK_THAT(
      broadcast([](const Groups& groups) { return groups.own == 0 ? MPI_ROOT : MPI_PROC_NULL; }),
      Catch::Contains("a root in the other group") && Catch::Contains("section 5.2.3"));
  // Two roots in one group.
  CHECK_THAT(broadcast([](const Groups& groups) { return groups.is_low ? MPI_ROOT : 0; }),
             Catch::Contains("root MPI_ROOT)") && Catch::Contains("another root"));
  // Another one than the others mean.
  CHECK_THAT(broadcast([](const Groups& groups) {
               if (!groups.is_low) return 1;
               return groups.own == 0 ? MPI_ROOT : MPI_PROC_NULL;
             }),
             Catch::Contains("of the other group calls") && Catch::Contains("another root"));
  // The root calls itself none, as all of its group do.
  CHECK_THAT(broadcast([](const Groups& groups) { return groups.is_low ? MPI_PROC_NULL : 0; }),
             Catch::Contains("no rank gives MPI_ROOT"));
  CHECK_THAT(broadcast([](const Groups&) { return 2; }),
             Catch::Contains("argument root is 2") && Catch::Contains("MPI_ROOT at the root"));
  CHECK_THAT(broadcast([](const Groups&) { return MPI_ANY_SOURCE; }),
             Catch::Contains("argument root is -1"));
}

TEST_CASE("calls of two groups that do not fit together are found") {
  const std::vector<int> in(8);
  CHECK_THAT(finding_of([&](const Groups& groups) {
               std::vector<int> out(8);
               MPI_Allgather(in.data(), groups.is_low ? 2 : 1, MPI_INT, out.data(), 1, MPI_INT,
                             groups.comm);
             }),
             Catch::Contains("another amount of data"));
  CHECK_THAT(finding_of([&](const Groups& groups) {
               std::vector<int> out(8);
               MPI_Allreduce(in.data(), out.data(), 1, groups.is_low ? MPI_INT : MPI_FLOAT, MPI_SUM,
                             groups.comm);
             }),
             Catch::Contains("another type signature"));
  CHECK_THAT(finding_of([&](const Groups& groups) {
               std::vector<int> out(8);
               MPI_Allreduce(in.data(), out.data(), 1, MPI_INT, groups.is_low ? MPI_MIN : MPI_MAX,
                             groups.comm);
             }),
             Catch::Contains("another operation"));
  CHECK_THAT(finding_of([&](const Groups& groups) {
               if (groups.is_low) MPI_Barrier(groups.comm);
               int data = 0;
               if (!groups.is_low) MPI_Bcast(&data, 1, MPI_INT, 0, groups.comm);
             }),
             Catch::Contains("another function"));
  // Only messages can tell: what is sent to rank 1 is not what that expects.
  CHECK_THAT(finding_of([&](const Groups& groups) {
               std::vector<int> out(8);
               const std::vector<int> counts{1, groups.is_low ? 2 : 1};
               const std::vector<int> places{0, 2};
               MPI_Alltoallv(in.data(), counts.data(), places.data(), MPI_INT, out.data(),
                             std::vector<int>{1, 1}.data(), places.data(), MPI_INT, groups.comm);
             }),
             Catch::Contains("of the other group of a communicator sends 8 bytes here, and rank 1 "
                             "expects 4"));
}

TEST_CASE("nothing is done in place between two groups, and there is no scan") {
  int value = 0;
  std::vector<int> all(8);
  CHECK_THAT(finding_of([&](const Groups& groups) {
               MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, groups.comm);
             }),
             Catch::Contains("sendbuf is MPI_IN_PLACE") && Catch::Contains("section 5.2.3"));
  CHECK_THAT(finding_of([&](const Groups& groups) {
               MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all.data(), 1, MPI_INT,
                            groups.comm);
             }),
             Catch::Contains("sendbuf is MPI_IN_PLACE"));
  CHECK_THAT(finding_of([&](const Groups& groups) {
               MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all.data(), 1, MPI_INT,
                          groups.root(0), groups.comm);
             }),
             Catch::Contains("sendbuf is MPI_IN_PLACE"));
  CHECK_THAT(
      finding_of([&](const Groups& groups) {
        int result = 0;
        MPI_Scan(&value, &result, 1, MPI_INT, MPI_SUM, groups.comm);
      }),
      Catch::Contains("argument comm is an intercommunicator") && Catch::Contains("section 5.11"));
}
