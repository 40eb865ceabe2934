// Broadcast, gathering, scattering and exchanging against what each rank can work out by itself.
#include <array>
#include <numeric>

#include "mpi_collective_data.hpp"

using namespace mpi_collectives;

namespace {

// One size for each of the algorithms: 8 bytes, some KiB, some 100 KiB.
const std::vector<int> sizes{1, 300, 20'000};

}  // namespace

TEST_CASE("MPI_Bcast and MPI_Ibcast reach all ranks from every root, in all sizes") {
  in_all_cases({0, 3, 10'000, 70'000}, [](const Case& now, int rank) {
    for (const int root : {0, now.ranks / 2, now.ranks - 1}) {
      const auto expected = elements(root, now.count);
      auto data =
          rank == root ? expected : std::vector<double>(static_cast<std::size_t>(now.count), -1.0);
      perform(
          now.form,
          [&] { return MPI_Bcast(data.data(), now.count, MPI_DOUBLE, root, MPI_COMM_WORLD); },
          [&](MPI_Request* request) {
            return MPI_Ibcast(data.data(), now.count, MPI_DOUBLE, root, MPI_COMM_WORLD, request);
          });
      orrery::check(data == expected);
    }
  });
}

TEST_CASE("MPI_Gather, MPI_Scatter and MPI_Allgather move equal blocks, in place too") {
  in_all_cases(sizes, [](const Case& now, int rank) {
    const auto total = static_cast<std::size_t>(now.ranks) * static_cast<std::size_t>(now.count);
    std::vector<double> expected;
    for (int peer = 0; peer < now.ranks; ++peer) append(expected, elements(peer, now.count));
    const auto mine = elements(rank, now.count);
    const int count = now.count;
    for (const int root : {0, now.ranks - 1}) {
      std::vector<double> all(total, -1.0);
      perform(
          now.form,
          [&] {
            return MPI_Gather(mine.data(), count, MPI_DOUBLE, all.data(), count, MPI_DOUBLE, root,
                              MPI_COMM_WORLD);
          },
          [&](MPI_Request* request) {
            return MPI_Igather(mine.data(), count, MPI_DOUBLE, all.data(), count, MPI_DOUBLE, root,
                               MPI_COMM_WORLD, request);
          });
      orrery::check(rank != root || all == expected);
      std::vector<double> back(mine.size(), -1.0);
      const bool in_place = rank == root && root == 0;  // the root's block stays where it is
      void* const to = in_place ? MPI_IN_PLACE : back.data();
      perform(
          now.form,
          [&] {
            return MPI_Scatter(expected.data(), count, MPI_DOUBLE, to, count, MPI_DOUBLE, root,
                               MPI_COMM_WORLD);
          },
          [&](MPI_Request* request) {
            return MPI_Iscatter(expected.data(), count, MPI_DOUBLE, to, count, MPI_DOUBLE, root,
                                MPI_COMM_WORLD, request);
          });
      orrery::check(in_place || back == mine);
    }
    std::vector<double> all(total, -1.0);
    const std::size_t own = static_cast<std::size_t>(rank) * mine.size();
    std::copy(mine.begin(), mine.end(), all.begin() + static_cast<std::ptrdiff_t>(own));
    perform(
        now.form,
        [&] {
          return MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all.data(), count, MPI_DOUBLE,
                               MPI_COMM_WORLD);
        },
        [&](MPI_Request* request) {
          return MPI_Iallgather(mine.data(), count, MPI_DOUBLE, all.data(), count, MPI_DOUBLE,
                                MPI_COMM_WORLD, request);
        });
    orrery::check(all == expected);
  });
}

TEST_CASE("MPI_Gatherv, MPI_Scatterv and MPI_Allgatherv put blocks of any size in any place") {
  in_all_cases({1, 40, 5'000}, [](const Case& now, int rank) {
    // Rank r has r * count elements, which come in reverse order with gaps of one.
    std::vector<int> counts;
    for (int peer = 0; peer < now.ranks; ++peer) counts.push_back(peer * now.count);
    std::vector<int> places(counts.size());
    int end = 0;
    for (std::size_t peer = counts.size(); peer-- > 0;) {
      places[peer] = end;
      end += counts[peer] + 1;
    }
    std::vector<double> expected(static_cast<std::size_t>(end), -1.0);
    for (std::size_t peer = 0; peer < counts.size(); ++peer) {
      const auto theirs = elements(static_cast<int>(peer), counts[peer]);
      std::copy(theirs.begin(), theirs.end(), expected.begin() + places[peer]);
    }
    const int count = counts[static_cast<std::size_t>(rank)];
    const auto mine = elements(rank, count);
    const int root = now.ranks / 2;
    std::vector<double> all(expected.size(), -1.0);
    perform(
        now.form,
        [&] {
          return MPI_Gatherv(mine.data(), count, MPI_DOUBLE, all.data(), counts.data(),
                             places.data(), MPI_DOUBLE, root, MPI_COMM_WORLD);
        },
        [&](MPI_Request* request) {
          return MPI_Igatherv(mine.data(), count, MPI_DOUBLE, all.data(), counts.data(),
                              places.data(), MPI_DOUBLE, root, MPI_COMM_WORLD, request);
        });
    orrery::check(rank != root || all == expected);
    std::vector<double> back(mine.size());
    perform(
        now.form,
        [&] {
          return MPI_Scatterv(expected.data(), counts.data(), places.data(), MPI_DOUBLE,
                              back.data(), count, MPI_DOUBLE, root, MPI_COMM_WORLD);
        },
        [&](MPI_Request* request) {
          return MPI_Iscatterv(expected.data(), counts.data(), places.data(), MPI_DOUBLE,
                               back.data(), count, MPI_DOUBLE, root, MPI_COMM_WORLD, request);
        });
    orrery::check(back == mine);
    std::vector<double> everywhere(expected.size(), -1.0);
    perform(
        now.form,
        [&] {
          return MPI_Allgatherv(mine.data(), count, MPI_DOUBLE, everywhere.data(), counts.data(),
                                places.data(), MPI_DOUBLE, MPI_COMM_WORLD);
        },
        [&](MPI_Request* request) {
          return MPI_Iallgatherv(mine.data(), count, MPI_DOUBLE, everywhere.data(), counts.data(),
                                 places.data(), MPI_DOUBLE, MPI_COMM_WORLD, request);
        });
    orrery::check(everywhere == expected);
  });
}

TEST_CASE("MPI_Alltoall exchanges equal blocks, in place too") {
  in_all_cases(sizes, [](const Case& now, int rank) {
    const int count = now.count;
    std::vector<double> outgoing;
    std::vector<double> expected;
    for (int peer = 0; peer < now.ranks; ++peer) {
      append(outgoing, elements(rank, count, 7 * peer));
      append(expected, elements(peer, count, 7 * rank));
    }
    std::vector<double> incoming(expected.size(), -1.0);
    perform(
        now.form,
        [&] {
          return MPI_Alltoall(outgoing.data(), count, MPI_DOUBLE, incoming.data(), count,
                              MPI_DOUBLE, MPI_COMM_WORLD);
        },
        [&](MPI_Request* request) {
          return MPI_Ialltoall(outgoing.data(), count, MPI_DOUBLE, incoming.data(), count,
                               MPI_DOUBLE, MPI_COMM_WORLD, request);
        });
    orrery::check(incoming == expected);
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, outgoing.data(), count, MPI_DOUBLE,
                 MPI_COMM_WORLD);
    orrery::check(outgoing == expected);
  });
}

TEST_CASE("MPI_Alltoallv and MPI_Alltoallw exchange blocks of any size and type, in place too") {
  in_all_cases({1, 2'000}, [](const Case& now, int rank) {
    const auto ranks = static_cast<std::size_t>(now.ranks);
    std::vector<int> sent(ranks);
    std::vector<int> received(ranks);
    std::vector<int> sent_at(ranks);
    std::vector<int> received_at(ranks);
    std::vector<double> outgoing;
    std::vector<double> expected;
    for (std::size_t peer = 0; peer < ranks; ++peer) {
      const int other = static_cast<int>(peer);
      sent[peer] = ((rank + 2 * other) % 3) * now.count;
      received[peer] = ((other + 2 * rank) % 3) * now.count;
      sent_at[peer] = static_cast<int>(outgoing.size());
      received_at[peer] = static_cast<int>(expected.size());
      append(outgoing, elements(rank, sent[peer], other));
      append(expected, elements(other, received[peer], rank));
    }
    std::vector<double> incoming(expected.size() + 1, -1.0);
    perform(
        now.form,
        [&] {
          return MPI_Alltoallv(outgoing.data(), sent.data(), sent_at.data(), MPI_DOUBLE,
                               incoming.data(), received.data(), received_at.data(), MPI_DOUBLE,
                               MPI_COMM_WORLD);
        },
        [&](MPI_Request* request) {
          return MPI_Ialltoallv(outgoing.data(), sent.data(), sent_at.data(), MPI_DOUBLE,
                                incoming.data(), received.data(), received_at.data(), MPI_DOUBLE,
                                MPI_COMM_WORLD, request);
        });
    incoming.pop_back();
    orrery::check(incoming == expected);
    for (auto* places : {&sent_at, &received_at})
      for (int& place : *places) place *= static_cast<int>(sizeof(double));
    const std::vector<MPI_Datatype> types(ranks, MPI_DOUBLE);
    std::vector<double> again(expected.size() + 1, -1.0);
    perform(
        now.form,
        [&] {
          return MPI_Alltoallw(outgoing.data(), sent.data(), sent_at.data(), types.data(),
                               again.data(), received.data(), received_at.data(), types.data(),
                               MPI_COMM_WORLD);
        },
        [&](MPI_Request* request) {
          return MPI_Ialltoallw(outgoing.data(), sent.data(), sent_at.data(), types.data(),
                                again.data(), received.data(), received_at.data(), types.data(),
                                MPI_COMM_WORLD, request);
        });
    again.pop_back();
    orrery::check(again == expected);
    // In place the counts are symmetric: what goes comes.
    std::vector<int> both(ranks);
    std::vector<int> at(ranks);
    std::vector<double> data;
    std::vector<double> exchanged;
    for (std::size_t peer = 0; peer < ranks; ++peer) {
      const int other = static_cast<int>(peer);
      both[peer] = (rank + other) % 4 * now.count;
      at[peer] = static_cast<int>(data.size());
      append(data, elements(rank, both[peer], other));
      append(exchanged, elements(other, both[peer], rank));
    }
    data.push_back(0);  // never a null pointer
    MPI_Alltoallv(MPI_IN_PLACE, nullptr, nullptr, MPI_DATATYPE_NULL, data.data(), both.data(),
                  at.data(), MPI_DOUBLE, MPI_COMM_WORLD);
    data.pop_back();
    orrery::check(data == exchanged);
  });
}

TEST_CASE("collectives move derived types, whatever the other side has") {
  in_all_cases({1, 3'000}, [](const Case& now, int rank) {
    // Every second of 2 * count doubles, as one element; the other side has them side by side.
    MPI_Datatype spread = MPI_DATATYPE_NULL;
    MPI_Type_vector(now.count, 1, 2, MPI_DOUBLE, &spread);
    MPI_Datatype whole = MPI_DATATYPE_NULL;
    MPI_Type_create_resized(spread, 0, now.count * 2 * static_cast<MPI_Aint>(sizeof(double)),
                            &whole);
    MPI_Type_commit(&whole);
    const auto ranks = static_cast<std::size_t>(now.ranks);
    const auto count = static_cast<std::size_t>(now.count);
    const auto mine = elements(rank, now.count);
    std::vector<double> all(2 * count * ranks, -1.0);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Datatype used = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(1, whole, &used);
    MPI_Type_commit(&used);
    MPI_Iallgather(mine.data(), now.count, MPI_DOUBLE, all.data(), 1, used, MPI_COMM_WORLD,
                   &request);
    MPI_Type_free(&used);  // in use, which is legal (section 4.1.9)
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (std::size_t place = 0; place < all.size(); ++place) {
      const auto index = static_cast<int>(place % (2 * count));
      const auto peer = static_cast<int>(place / (2 * count));
      orrery::check(all[place] == (index % 2 == 1 ? -1.0 : element(peer, index / 2)));
    }
    std::vector<double> exchanged(all.size(), -1.0);
    MPI_Alltoall(all.data(), 1, whole, exchanged.data(), 1, whole, MPI_COMM_WORLD);
    for (std::size_t peer = 0; peer < ranks; ++peer)
      orrery::check(exchanged[peer * 2 * count] == element(rank, 0) &&
                    exchanged[peer * 2 * count + 1] == -1.0);
    std::vector<double> sent(2 * count, -1.0);
    if (rank == 0) sent = std::vector<double>(all.begin(), all.begin() + 2 * now.count);
    MPI_Bcast(sent.data(), 1, whole, 0, MPI_COMM_WORLD);
    for (std::size_t index = 0; index < count; ++index)
      orrery::check(sent[2 * index] == element(0, static_cast<int>(index)) &&
                    sent[2 * index + 1] == -1.0);
    MPI_Type_free(&whole);
    MPI_Type_free(&spread);
  });
}

TEST_CASE("many ranks gather and scatter along a tree") {
  orrery::CollectiveCounts counts;
  const auto outcome = mpi_machine::run({.ranks = 21, .counts = &counts}, [](int rank) {
    for (const int root : {0, 5, 20}) {
      std::array<int, 21> all{};
      MPI_Gather(&rank, 1, MPI_INT, all.data(), 1, MPI_INT, root, MPI_COMM_WORLD);
      for (int peer = 0; peer < 21 && rank == root; ++peer)
        orrery::check(all[static_cast<std::size_t>(peer)] == peer);
      int back = -1;
      MPI_Scatter(all.data(), 1, MPI_INT, &back, 1, MPI_INT, root, MPI_COMM_WORLD);
      orrery::check(back == rank);
      if (rank == root) all[static_cast<std::size_t>(root)] = 100;
      MPI_Gather(rank == root ? MPI_IN_PLACE : &rank, 1, MPI_INT, all.data(), 1, MPI_INT, root,
                 MPI_COMM_WORLD);
      orrery::check(rank != root || all[static_cast<std::size_t>(root)] == 100);
    }
  });
  CHECK(mpi_machine::first_message(outcome) == "");
  REQUIRE(counts.entries().size() == 2);
  CHECK(counts.entries()[0].operation == "MPI_Gather");
  CHECK(counts.entries()[0].algorithm == "binomial tree");
  CHECK(counts.entries()[0].count == 6);
  CHECK(counts.entries()[1].count == 3);
}

TEST_CASE("much data goes by other algorithms than little, and the choice is counted") {
  orrery::CollectiveCounts counts;
  const auto outcome = mpi_machine::run({.ranks = 8, .counts = &counts}, [](int) {
    for (const int count : {1, 8'192, 131'072}) {
      std::vector<double> data(static_cast<std::size_t>(count));
      MPI_Bcast(data.data(), count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
      std::vector<double> all(8 * data.size());
      MPI_Allgather(data.data(), count, MPI_DOUBLE, all.data(), count, MPI_DOUBLE, MPI_COMM_WORLD);
    }
  });
  CHECK(mpi_machine::first_message(outcome) == "");
  std::vector<std::string> chosen;
  for (const auto& entry : counts.entries()) chosen.push_back(entry.algorithm);
  CHECK(chosen == std::vector<std::string>{"binomial tree", "gather and broadcast",
                                           "scatter and recursive doubling", "Bruck",
                                           "scatter and ring", "ring"});
}
