// Topologies: grids, graphs and distributed graphs (MPI 3.1, chapter 7).
#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "mpi_fake_runtime.hpp"

namespace {

std::vector<int> divided(int nodes, std::vector<int> dims) {
  MPI_Dims_create(nodes, static_cast<int>(dims.size()), dims.data());
  return dims;
}

/// All divisions of `nodes` into `places` factors in descending order, none above `limit`.
std::vector<std::vector<int>> divisions(int nodes, std::size_t places, int limit) {
  std::vector<std::vector<int>> all;
  if (places == 0 && nodes == 1) all.emplace_back();
  if (places == 0) return all;
  for (int first = 1; first <= std::min(nodes, limit); ++first) {
    if (nodes % first != 0) continue;
    for (std::vector<int> rest : divisions(nodes / first, places - 1, first)) {
      rest.insert(rest.begin(), first);
      all.push_back(std::move(rest));
    }
  }
  return all;
}

int difference(const std::vector<int>& dims) {
  return dims.front() - dims.back();
}

}  // namespace

TEST_CASE("MPI_Dims_create gives dimensions as close together as can be, in descending order") {
  const auto outcome = fake::run(1, [](int) {
    for (int nodes = 1; nodes <= 1'000; ++nodes) {
      for (std::size_t places = 1; places <= 5; ++places) {
        const auto all = divisions(nodes, places, nodes);
        int least = nodes;
        for (const auto& one : all) least = std::min(least, difference(one));
        const std::vector<int> dims = divided(nodes, std::vector<int>(places, 0));
        CAPTURE(nodes, places, dims);
        if (std::find(all.begin(), all.end(), dims) == all.end()) FAIL("no such division");
        if (difference(dims) != least) FAIL("there is a closer one");
        // With a dimension that is given the others divide what is left in the same way.
        std::vector<int> with_given(places, 0);
        with_given.insert(with_given.begin() + static_cast<std::ptrdiff_t>(places / 2), 7);
        std::vector<int> expected = dims;
        expected.insert(expected.begin() + static_cast<std::ptrdiff_t>(places / 2), 7);
        if (divided(7 * nodes, with_given) != expected) FAIL("a given dimension changes others");
      }
    }
  });
  CHECK(outcome.message == "");
}

TEST_CASE("MPI_Dims_create finds a closer division with a larger first dimension, and at once") {
  const auto outcome = fake::run(1, [](int) {
    using Dims = std::vector<int>;
    CHECK(divided(4620, {0, 0, 0}) == Dims{22, 15, 14});  // and not 21, 20, 11
    CHECK(divided(7488, {0, 0, 0}) == Dims{26, 18, 16});
    CHECK(divided(3600, {0, 0, 0, 0}) == Dims{10, 10, 6, 6});
    CHECK(divided(919776, {0, 0, 0}) == Dims{134, 88, 78});
    CHECK(divided(1'000'000'000, {0, 0, 0}) == Dims{1000, 1000, 1000});
    CHECK(divided(2147483647, {0, 0}) == Dims{2147483647, 1});
    CHECK(divided(2147483636, {0, 0}) == Dims{536870909, 4});
    CHECK(divided(1 << 30, Dims(40, 0)).at(30) == 1);
    CHECK(divided(0x7fffffff, {0}) == Dims{0x7fffffff});
    CHECK(divided(360, {0, 3, 2, 0}) == Dims{10, 3, 2, 6});
    for (std::size_t places = 1; places < 20; ++places) {
      const Dims many = divided(2095133040, Dims(places, 0));  // it has the most divisors
      std::int64_t product = 1;
      for (const int one : many) product *= one;
      CHECK(product == 2095133040);
      CHECK(std::is_sorted(many.rbegin(), many.rend()));
    }
  });
  CHECK(outcome.message == "");
}

TEST_CASE("MPI_Dims_create gives the standard's examples and grids as square as can be") {
  const auto outcome = fake::run(1, [](int) {
    using Dims = std::vector<int>;
    CHECK(divided(6, {0, 0}) == Dims{3, 2});
    CHECK(divided(7, {0, 0}) == Dims{7, 1});
    CHECK(divided(6, {0, 3, 0}) == Dims{2, 3, 1});
    CHECK(divided(12, {0, 0, 0}) == Dims{3, 2, 2});
    CHECK(divided(64, {0, 0, 0}) == Dims{4, 4, 4});
    CHECK(divided(1000, {0, 0}) == Dims{40, 25});
    CHECK(divided(1, {0}) == Dims{1});
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    std::array<int, 3> dims{0, 3, 0};
    CHECK(MPI_Dims_create(7, 3, dims.data()) == MPI_ERR_DIMS);
    CHECK(MPI_Dims_create(0, 3, dims.data()) == MPI_ERR_ARG);
    dims[0] = -1;
    CHECK(MPI_Dims_create(6, 3, dims.data()) == MPI_ERR_DIMS);
  });
  CHECK(outcome.message == "");
}

TEST_CASE("a grid knows coordinates, ranks, neighbours and sub-grids") {
  const auto outcome = fake::run(7, [](int rank) {
    const std::array<int, 2> dims{3, 2};
    const std::array<int, 2> periods{1, 0};
    int mapped = 0;
    MPI_Cart_map(MPI_COMM_WORLD, 2, dims.data(), periods.data(), &mapped);
    CHECK(mapped == (rank < 6 ? rank : MPI_UNDEFINED));
    MPI_Comm grid;
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims.data(), periods.data(), 1, &grid);
    CHECK((grid == MPI_COMM_NULL) == (rank == 6));
    if (rank == 6) return;
    int kind = 0;
    MPI_Topo_test(grid, &kind);
    CHECK(kind == MPI_CART);
    MPI_Topo_test(MPI_COMM_WORLD, &kind);
    CHECK(kind == MPI_UNDEFINED);
    int count = 0;
    MPI_Cartdim_get(grid, &count);
    CHECK(count == 2);
    std::array<int, 2> got_dims{};
    std::array<int, 2> got_periods{};
    std::array<int, 2> coords{};
    MPI_Cart_get(grid, 2, got_dims.data(), got_periods.data(), coords.data());
    CHECK(got_dims == dims);
    CHECK(got_periods == periods);
    CHECK(coords == std::array<int, 2>{rank / 2, rank % 2});
    MPI_Cart_coords(grid, 5, 2, coords.data());
    CHECK(coords == std::array<int, 2>{2, 1});
    coords = {-1, 1};
    int at = -1;
    MPI_Cart_rank(grid, coords.data(), &at);
    CHECK(at == 5);
    int from = 0;
    int to = 0;
    MPI_Cart_shift(grid, 0, 1, &from, &to);
    CHECK(from == (rank + 4) % 6);
    CHECK(to == (rank + 2) % 6);
    MPI_Cart_shift(grid, 1, -1, &from, &to);
    CHECK(from == (rank % 2 == 0 ? rank + 1 : MPI_PROC_NULL));
    CHECK(to == (rank % 2 == 1 ? rank - 1 : MPI_PROC_NULL));
    const std::array<int, 2> rows{0, 1};
    MPI_Comm row;
    MPI_Cart_sub(grid, rows.data(), &row);
    int own = -1;
    MPI_Comm_rank(row, &own);
    CHECK(own == rank % 2);
    MPI_Cartdim_get(row, &count);
    CHECK(count == 1);
    MPI_Comm copy;
    MPI_Comm_dup(grid, &copy);
    MPI_Topo_test(copy, &kind);
    CHECK(kind == MPI_CART);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&row);
    MPI_Comm_free(&grid);
  });
  CHECK(outcome.message == "");
}

TEST_CASE("a grid with wrong arguments gives codes, one that differs a finding") {
  const auto outcome = fake::run(4, [](int rank) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm grid;
    const std::array<int, 2> dims{3, 2};
    const std::array<int, 2> no{0, 0};
    CHECK(MPI_Cart_create(MPI_COMM_WORLD, 2, dims.data(), no.data(), 0, &grid) == MPI_ERR_DIMS);
    CHECK(MPI_Cart_create(MPI_COMM_WORLD, 2, no.data(), no.data(), 0, &grid) == MPI_ERR_DIMS);
    CHECK(MPI_Cart_create(MPI_COMM_WORLD, -1, no.data(), no.data(), 0, &grid) == MPI_ERR_DIMS);
    int value = 0;
    CHECK(MPI_Cartdim_get(MPI_COMM_WORLD, &value) == MPI_ERR_TOPOLOGY);
    const std::array<int, 2> fits{2, 2};
    MPI_Cart_create(MPI_COMM_WORLD, 2, fits.data(), no.data(), 0, &grid);
    const std::array<int, 2> outside{2, 0};
    CHECK(MPI_Cart_rank(grid, outside.data(), &value) == MPI_ERR_ARG);
    std::array<int, 1> little{};
    CHECK(MPI_Cart_coords(grid, 0, 1, little.data()) == MPI_ERR_ARG);
    CHECK(MPI_Cart_coords(grid, 4, 2, little.data()) == MPI_ERR_RANK);
    CHECK(MPI_Cart_shift(grid, 2, 1, &value, &value) == MPI_ERR_DIMS);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    const std::array<int, 1> line{rank == 3 ? 2 : 4};
    MPI_Cart_create(MPI_COMM_WORLD, 1, line.data(), no.data(), 0, &grid);
  });
  CHECK_THAT(outcome.message, Catch::Contains("gives another topology"));
}

TEST_CASE("a graph gives back what it was made of") {
  const auto outcome = fake::run(4, [](int rank) {
    // The example of section 7.5.3.
    const std::array<int, 4> index{2, 3, 4, 6};
    const std::array<int, 6> edges{1, 3, 0, 3, 0, 2};
    MPI_Comm graph;
    MPI_Graph_create(MPI_COMM_WORLD, 4, index.data(), edges.data(), 0, &graph);
    int kind = 0;
    MPI_Topo_test(graph, &kind);
    CHECK(kind == MPI_GRAPH);
    int nodes = 0;
    int edge_count = 0;
    MPI_Graphdims_get(graph, &nodes, &edge_count);
    CHECK(nodes == 4);
    CHECK(edge_count == 6);
    std::array<int, 4> got_index{};
    std::array<int, 6> got_edges{};
    MPI_Graph_get(graph, 4, 6, got_index.data(), got_edges.data());
    CHECK(got_index == index);
    CHECK(got_edges == edges);
    int count = 0;
    MPI_Graph_neighbors_count(graph, 3, &count);
    CHECK(count == 2);
    std::array<int, 2> neighbours{};
    MPI_Graph_neighbors(graph, 3, 2, neighbours.data());
    CHECK(neighbours == std::array<int, 2>{0, 2});
    int mapped = -1;
    MPI_Graph_map(MPI_COMM_WORLD, 4, index.data(), edges.data(), &mapped);
    CHECK(mapped == rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm none;
    CHECK(MPI_Graph_create(MPI_COMM_WORLD, 5, index.data(), edges.data(), 0, &none) == MPI_ERR_ARG);
    const std::array<int, 1> one{1};
    const std::array<int, 1> far{9};
    CHECK(MPI_Graph_create(MPI_COMM_WORLD, 1, one.data(), far.data(), 0, &none) == MPI_ERR_ARG);
    MPI_Comm_free(&graph);
  });
  CHECK(outcome.message == "");
}

TEST_CASE("a distributed graph brings edges to both of their ends") {
  const auto outcome = fake::run(5, [](int rank) {
    // Each rank gives the edges of the next one: to the two after it, weighted by their ends.
    const int source = (rank + 1) % 5;
    const int degree = 2;
    const std::array<int, 2> targets{(rank + 2) % 5, (rank + 3) % 5};
    const std::array<int, 2> weights{10 * source + targets[0], 10 * source + targets[1]};
    MPI_Comm graph;
    MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &source, &degree, targets.data(), weights.data(),
                          MPI_INFO_NULL, 0, &graph);
    int in = 0;
    int out = 0;
    int weighted = 0;
    MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted);
    CHECK(in == 2);
    CHECK(out == 2);
    CHECK(weighted == 1);
    std::array<int, 2> from{};
    std::array<int, 2> from_weights{};
    std::array<int, 2> to{};
    std::array<int, 2> to_weights{};
    MPI_Dist_graph_neighbors(graph, 2, from.data(), from_weights.data(), 2, to.data(),
                             to_weights.data());
    CHECK(to == std::array<int, 2>{(rank + 1) % 5, (rank + 2) % 5});
    for (std::size_t index = 0; index < 2; ++index) {
      CHECK(from_weights[index] == 10 * from[index] + rank);
      CHECK(to_weights[index] == 10 * rank + to[index]);
    }
    MPI_Comm_free(&graph);
  });
  CHECK(outcome.message == "");
}

TEST_CASE("adjacent distributed graphs keep what each rank gives, with or without weights") {
  const auto outcome = fake::run(3, [](int rank) {
    const int left = (rank + 2) % 3;
    const int right = (rank + 1) % 3;
    MPI_Comm ring;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &left, MPI_UNWEIGHTED, 1, &right,
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &ring);
    int kind = 0;
    MPI_Topo_test(ring, &kind);
    CHECK(kind == MPI_DIST_GRAPH);
    int in = 0;
    int out = 0;
    int weighted = -1;
    MPI_Dist_graph_neighbors_count(ring, &in, &out, &weighted);
    CHECK(weighted == 0);
    int from = -1;
    int to = -1;
    MPI_Dist_graph_neighbors(ring, 1, &from, MPI_UNWEIGHTED, 1, &to, MPI_UNWEIGHTED);
    CHECK(from == left);
    CHECK(to == right);
    // Rank 0 has no sources.
    const int weight = 5;
    MPI_Comm line;
    const int degree = rank == 0 ? 0 : 1;
    const int out_degree = rank == 2 ? 0 : 1;
    MPI_Dist_graph_create_adjacent(
        MPI_COMM_WORLD, degree, &left, rank == 0 ? MPI_WEIGHTS_EMPTY : &weight, out_degree, &right,
        rank == 2 ? MPI_WEIGHTS_EMPTY : &weight, MPI_INFO_NULL, 0, &line);
    MPI_Dist_graph_neighbors_count(line, &in, &out, &weighted);
    CHECK(in == degree);
    CHECK(weighted == 1);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    const int far = 3;
    MPI_Comm none;
    CHECK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &far, MPI_UNWEIGHTED, 0, nullptr,
                                         MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &none) == MPI_ERR_RANK);
    CHECK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &left, MPI_WEIGHTS_EMPTY, 0, nullptr,
                                         MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, 0,
                                         &none) == MPI_ERR_ARG);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &left, rank == 1 ? &weight : MPI_UNWEIGHTED,
                                   0, nullptr, rank == 1 ? &weight : MPI_UNWEIGHTED, MPI_INFO_NULL,
                                   0, &none);
  });
  CHECK_THAT(outcome.message, Catch::Contains("all or none must"));
}
