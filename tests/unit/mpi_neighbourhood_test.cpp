// Collective operations among neighbours, on grids, graphs and distributed graphs.
#include <array>

#include "mpi_collective_data.hpp"

using namespace mpi_collectives;

namespace {

// A ring of all ranks, or a row with ends.
MPI_Comm make_row(int ranks, int period) {
  MPI_Comm row = MPI_COMM_NULL;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &period, 0, &row);
  return row;
}

std::vector<double> row_of(double below, double above) {
  return {below, above};
}

/// A rank in a row that may be a ring, and what comes to it from both sides.
struct Place {
  MPI_Comm row;
  bool has_below;
  bool has_above;
  int below;
  int above;

  Place(const Case& now, int rank)
      : row(make_row(now.ranks, now.count)),
        has_below(now.count == 1 || rank > 0),
        has_above(now.count == 1 || rank + 1 < now.ranks),
        below((rank + now.ranks - 1) % now.ranks),
        above((rank + 1) % now.ranks) {}
  [[nodiscard]] std::vector<double> incoming(int from_below, int from_above) const {
    return row_of(has_below ? element(below, from_below) : -1.0,
                  has_above ? element(above, from_above) : -1.0);
  }
};

constexpr std::array<int, 2> ones{1, 1};
constexpr std::array<int, 2> in_order{0, 1};
constexpr std::array<int, 2> swapped{1, 0};

}  // namespace

TEST_CASE("MPI_Neighbor_allgather(v) knows grids of any period") {
  in_all_cases({0, 1}, [](const Case& now, int rank) {
    Place place(now, rank);
    MPI_Comm& row = place.row;
    const double mine = element(rank, 0);
    const auto gathered = place.incoming(0, 0);
    std::vector<double> got(2, -1.0);
    perform(
        now.form,
        [&] {
          return MPI_Neighbor_allgather(&mine, 1, MPI_DOUBLE, got.data(), 1, MPI_DOUBLE, row);
        },
        [&](MPI_Request* request) {
          return MPI_Ineighbor_allgather(&mine, 1, MPI_DOUBLE, got.data(), 1, MPI_DOUBLE, row,
                                         request);
        });
    orrery::check(got == gathered);
    got.assign(2, -1.0);
    perform(
        now.form,
        [&] {
          return MPI_Neighbor_allgatherv(&mine, 1, MPI_DOUBLE, got.data(), ones.data(),
                                         swapped.data(), MPI_DOUBLE, row);
        },
        [&](MPI_Request* request) {
          return MPI_Ineighbor_allgatherv(&mine, 1, MPI_DOUBLE, got.data(), ones.data(),
                                          swapped.data(), MPI_DOUBLE, row, request);
        });
    orrery::check(got == row_of(gathered[1], gathered[0]));
    MPI_Comm_free(&row);
  });
}

TEST_CASE("MPI_Neighbor_alltoall(v, w) know grids of any period") {
  in_all_cases({0, 1}, [](const Case& now, int rank) {
    Place place(now, rank);
    MPI_Comm& row = place.row;
    // What goes up comes from below, also where both are the same rank.
    const auto outgoing = row_of(element(rank, 1), element(rank, 2));
    const auto exchanged = place.incoming(2, 1);
    std::vector<double> got(2, -1.0);
    perform(
        now.form,
        [&] {
          return MPI_Neighbor_alltoall(outgoing.data(), 1, MPI_DOUBLE, got.data(), 1, MPI_DOUBLE,
                                       row);
        },
        [&](MPI_Request* request) {
          return MPI_Ineighbor_alltoall(outgoing.data(), 1, MPI_DOUBLE, got.data(), 1, MPI_DOUBLE,
                                        row, request);
        });
    orrery::check(got == exchanged);
    got.assign(2, -1.0);
    perform(
        now.form,
        [&] {
          return MPI_Neighbor_alltoallv(outgoing.data(), ones.data(), in_order.data(), MPI_DOUBLE,
                                        got.data(), ones.data(), swapped.data(), MPI_DOUBLE, row);
        },
        [&](MPI_Request* request) {
          return MPI_Ineighbor_alltoallv(outgoing.data(), ones.data(), in_order.data(), MPI_DOUBLE,
                                         got.data(), ones.data(), swapped.data(), MPI_DOUBLE, row,
                                         request);
        });
    orrery::check(got == row_of(exchanged[1], exchanged[0]));
    const std::array<MPI_Aint, 2> places{0, sizeof(double)};
    const std::array<MPI_Datatype, 2> types{MPI_DOUBLE, MPI_DOUBLE};
    got.assign(2, -1.0);
    perform(
        now.form,
        [&] {
          return MPI_Neighbor_alltoallw(outgoing.data(), ones.data(), places.data(), types.data(),
                                        got.data(), ones.data(), places.data(), types.data(), row);
        },
        [&](MPI_Request* request) {
          return MPI_Ineighbor_alltoallw(outgoing.data(), ones.data(), places.data(), types.data(),
                                         got.data(), ones.data(), places.data(), types.data(), row,
                                         request);
        });
    orrery::check(got == exchanged);
    MPI_Comm_free(&row);
  });
}

TEST_CASE("neighbours in a distributed graph may be many, and one-sided") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto outcome = mpi_machine::run({.ranks = 5, .seed = seed}, [](int rank) {
      // Everybody sends twice to each lower rank.
      std::vector<int> sources;
      std::vector<int> destinations;
      for (int peer = 0; peer < 5; ++peer)
        for (int twice = 0; twice < 2; ++twice) {
          if (peer > rank) sources.push_back(peer);
          if (peer < rank) destinations.push_back(peer);
        }
      MPI_Comm graph = MPI_COMM_NULL;
      MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, static_cast<int>(sources.size()),
                                     sources.data(), MPI_UNWEIGHTED,
                                     static_cast<int>(destinations.size()), destinations.data(),
                                     MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
      std::vector<int> outgoing;
      for (std::size_t place = 0; place < destinations.size(); ++place)
        outgoing.push_back(100 * rank + static_cast<int>(place));
      std::vector<int> incoming(sources.size() + 1, -1);
      outgoing.push_back(0);
      MPI_Neighbor_alltoall(outgoing.data(), 1, MPI_INT, incoming.data(), 1, MPI_INT, graph);
      for (std::size_t place = 0; place < sources.size(); ++place)
        orrery::check(incoming[place] ==
                      100 * sources[place] + 2 * rank + static_cast<int>(place % 2));
      MPI_Comm_free(&graph);
    });
    INFO(seed);
    REQUIRE(mpi_machine::first_message(outcome) == "");
  }
}

TEST_CASE("a communicator without a topology has no neighbours, and blocks must fit") {
  const auto alone = mpi_machine::run({.ranks = 2}, [](int rank) {
    std::array<int, 2> got{};
    MPI_Neighbor_allgather(&rank, 1, MPI_INT, got.data(), 1, MPI_INT, MPI_COMM_WORLD);
  });
  CHECK_THAT(mpi_machine::first_message(alone), Catch::Contains("has no topology"));
  const auto unequal = mpi_machine::run({.ranks = 3}, [](int rank) {
    MPI_Comm row = make_row(3, 1);
    std::array<int, 4> got{};
    const std::array<int, 2> sent{1, rank + 1};
    MPI_Neighbor_allgather(sent.data(), rank == 2 ? 2 : 1, MPI_INT, got.data(), 1, MPI_INT, row);
  });
  CHECK_THAT(mpi_machine::first_message(unequal), Catch::Contains("rank 2"));
}
