#include <array>
#include <cstddef>
#include <vector>

#include <catch2/catch.hpp>

#include "mpi_fake_runtime.hpp"

namespace {

// Sends `count` of `send_type` from a 4 x 4 matrix of 0..15 and receives it as `received` ints.
std::vector<int> as_sent(MPI_Datatype send_type, int first, int count, int received) {
  std::array<int, 16> matrix{};
  for (std::size_t place = 0; place < 16; ++place) matrix[place] = static_cast<int>(place);
  std::vector<int> got(static_cast<std::size_t>(received), -1);
  MPI_Sendrecv(&matrix[static_cast<std::size_t>(first)], count, send_type, 0, 0, got.data(),
               received, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return got;
}

}  // namespace

TEST_CASE("a vector sends a column and can receive into one") {
  const auto outcome = fake::run(1, [](int) {
    MPI_Datatype column;
    MPI_Type_vector(4, 1, 4, MPI_INT, &column);
    MPI_Type_commit(&column);
    CHECK(as_sent(column, 1, 1, 4) == std::vector{1, 5, 9, 13});
    int size = 0;
    MPI_Aint lower = -1;
    MPI_Aint extent = 0;
    MPI_Type_size(column, &size);
    MPI_Type_get_extent(column, &lower, &extent);
    CHECK(size == 16);
    CHECK(lower == 0);
    CHECK(extent == 13 * 4);
    std::array<int, 16> matrix{};
    const std::array<int, 4> row{1, 2, 3, 4};
    MPI_Sendrecv(row.data(), 4, MPI_INT, 0, 0, &matrix[2], 1, column, 0, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    CHECK(matrix == std::array<int, 16>{0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0});
    // Two columns side by side need an extent of one element.
    MPI_Datatype narrow;
    MPI_Type_create_resized(column, 0, sizeof(int), &narrow);
    MPI_Type_commit(&narrow);
    CHECK(as_sent(narrow, 0, 2, 8) == std::vector{0, 4, 8, 12, 1, 5, 9, 13});
    MPI_Type_free(&narrow);
    MPI_Type_free(&column);
  });
  CHECK(outcome.message == "");
}

TEST_CASE("types nest, with negative strides and empty blocks") {
  const auto outcome = fake::run(1, [](int) {
    MPI_Datatype backwards;
    MPI_Type_vector(3, 1, -1, MPI_INT, &backwards);
    MPI_Type_commit(&backwards);
    CHECK(as_sent(backwards, 5, 1, 3) == std::vector{5, 4, 3});
    MPI_Datatype pairs;
    MPI_Type_create_hvector(2, 1, 32, backwards, &pairs);
    MPI_Type_commit(&pairs);
    CHECK(as_sent(pairs, 2, 1, 6) == std::vector{2, 1, 0, 10, 9, 8});
    const std::array<int, 3> lengths{2, 0, 1};
    const std::array<int, 3> places{3, 0, 1};
    MPI_Datatype indexed;
    MPI_Type_indexed(3, lengths.data(), places.data(), MPI_INT, &indexed);
    MPI_Type_commit(&indexed);
    CHECK(as_sent(indexed, 0, 1, 3) == std::vector{3, 4, 1});
  });
  CHECK(outcome.message == "");
}

TEST_CASE("a struct with padding travels in arrays") {
  struct Particle {
    double position[2];
    int id;
    char kind;
  };
  const auto outcome = fake::run(1, [](int) {
    const std::array<int, 3> lengths{2, 1, 1};
    const std::array<MPI_Aint, 3> places{offsetof(Particle, position), offsetof(Particle, id),
                                         offsetof(Particle, kind)};
    const std::array<MPI_Datatype, 3> types{MPI_DOUBLE, MPI_INT, MPI_CHAR};
    MPI_Datatype particle;
    MPI_Type_create_struct(3, lengths.data(), places.data(), types.data(), &particle);
    MPI_Type_commit(&particle);
    MPI_Aint lower = 0;
    MPI_Aint extent = 0;
    MPI_Type_get_extent(particle, &lower, &extent);
    CHECK(extent == sizeof(Particle));
    const std::array<Particle, 2> sent{{{{1, 2}, 3, 'a'}, {{4, 5}, 6, 'b'}}};
    std::array<Particle, 2> got{};
    MPI_Status status;
    MPI_Sendrecv(sent.data(), 2, particle, 0, 0, got.data(), 2, particle, 0, 0, MPI_COMM_WORLD,
                 &status);
    CHECK(got[1].position[1] == 5);
    CHECK(got[1].id == 6);
    CHECK(got[1].kind == 'b');
    int count = 0;
    MPI_Get_count(&status, particle, &count);
    CHECK(count == 2);
    // Freed while both ends of a message need it: they still know their type.
    std::array<MPI_Request, 2> requests{};
    MPI_Isend(sent.data(), 1, particle, 0, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(got.data(), 1, particle, 0, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Datatype same = particle;
    MPI_Type_free(&particle);
    MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
    MPI_Type_size(same, &count);
  });
  CHECK_THAT(outcome.message, Catch::Contains("MPI_Type_size: argument datatype is a type that was "
                                              "freed"));
}

TEST_CASE("a type of absolute addresses goes with MPI_BOTTOM") {
  const auto outcome = fake::run(1, [](int) {
    int first = 1;
    int second = 2;
    std::array<MPI_Aint, 2> places{};
    MPI_Get_address(&first, &places[0]);
    MPI_Get_address(&second, &places[1]);
    const std::array<int, 2> lengths{1, 1};
    const std::array<MPI_Datatype, 2> types{MPI_INT, MPI_INT};
    MPI_Datatype both;
    MPI_Type_create_struct(2, lengths.data(), places.data(), types.data(), &both);
    MPI_Type_commit(&both);
    std::array<int, 2> got{};
    MPI_Sendrecv(MPI_BOTTOM, 1, both, 0, 0, got.data(), 2, MPI_INT, 0, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    CHECK(got == std::array<int, 2>{1, 2});
  });
  CHECK(outcome.message == "");
}

TEST_CASE("a type must be committed before it is used") {
  const auto outcome = fake::run(1, [](int) {
    MPI_Datatype two;
    MPI_Type_contiguous(2, MPI_INT, &two);
    as_sent(two, 0, 1, 2);
  });
  CHECK_THAT(outcome.message, Catch::Contains("sendtype") || Catch::Contains("datatype"));
  CHECK_THAT(outcome.message, Catch::Contains("not committed with MPI_Type_commit"));
}
