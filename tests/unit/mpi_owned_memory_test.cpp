// Buffers that operations under way own: pairs of programs, one that touches them and one that does
// not.
#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "mpi_fake_runtime.hpp"

namespace {

/// Rank 0 sends `bytes` to itself; `between` runs while both operations are under way.
fake::Outcome exchange(std::size_t bytes,
                       const std::function<void(unsigned char* out, unsigned char* in)>& between) {
  return fake::run(1, [&](int) {
    static std::vector<unsigned char> out;
    static std::vector<unsigned char> in;
    out.assign(bytes, 1);
    in.assign(bytes, 2);
    std::array<MPI_Request, 2> requests{};
    const int count = static_cast<int>(bytes);
    MPI_Irecv(in.data(), count, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out.data(), count, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &requests[1]);
    between(out.data(), in.data());
    MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
    CHECK(in == std::vector<unsigned char>(bytes, 1));
  });
}

fake::Outcome with_two_receives(int first_place, MPI_Datatype type, int second_place) {
  return fake::run(1, [=](int) {
    static std::array<int, 64> in{};
    std::array<int, 64> out{};
    std::array<MPI_Request, 2> requests{};
    MPI_Datatype used = type;
    if (type == MPI_DATATYPE_NULL) {
      MPI_Type_vector(8, 1, 8, MPI_INT, &used);
      MPI_Type_commit(&used);
    }
    MPI_Irecv(in.data() + first_place, 1, used, 0, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(in.data() + second_place, 1, used, 0, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Send(out.data(), 1, used, 0, 0, MPI_COMM_WORLD);
    MPI_Send(out.data(), 1, used, 0, 1, MPI_COMM_WORLD);
    MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
    if (type == MPI_DATATYPE_NULL) MPI_Type_free(&used);
  });
}

}  // namespace

TEST_CASE("a buffer that is changed while its send is under way is found when that completes") {
  for (const std::size_t bytes : {1, 7, 64, 100, 4096, 32768}) {
    for (const std::size_t place : {std::size_t{0}, bytes / 2, bytes - 1}) {
      CAPTURE(bytes, place);
      const auto wrong = exchange(bytes, [=](auto* out, auto*) { ++out[place]; });
      CHECK(wrong.kind == "mpi_usage");
      CHECK(wrong.class_name == "buffer in use");
      CHECK_THAT(wrong.message,
                 Catch::Contains("MPI_Waitall: the buffer of the MPI_Isend that was started"));
    }
  }
  CHECK(exchange(4096, [](auto*, auto*) {}).message == "");
}

TEST_CASE("a buffer that is written while its receive is under way is found") {
  const auto wrong = exchange(100, [](auto*, auto* in) { in[99] = 0; });
  CHECK(wrong.class_name == "buffer in use");
  CHECK_THAT(wrong.message, Catch::Contains("the buffer of the MPI_Irecv that was started"));
  CHECK(exchange(100, [](auto*, auto* in) { in[99] = 2; }).message == "");  // nothing to be seen
}

TEST_CASE("of a long buffer, its beginning, its end and places between are looked at") {
  constexpr std::size_t bytes = 1U << 20U;
  for (const std::size_t place : {std::size_t{0}, std::size_t{8191}, bytes - 8192, bytes - 1})
    CHECK(exchange(bytes, [=](auto* out, auto*) { ++out[place]; }).class_name == "buffer in use");
  const auto all = [](auto* out, auto*) { std::fill(out, out + bytes, 9); };
  CHECK(exchange(bytes, all).class_name == "buffer in use");
  CHECK(exchange(bytes, [](auto*, auto*) {}).message == "");
}

TEST_CASE("two receives under way must not share memory, byte by byte") {
  const auto wrong = with_two_receives(0, MPI_DOUBLE, 1);
  CHECK(wrong.class_name == "overlapping buffers");
  CHECK_THAT(wrong.message, Catch::Contains("MPI_Irecv: it writes to memory that belongs to the "
                                            "MPI_Irecv of the other line, which writes to it"));
  CHECK(with_two_receives(0, MPI_DOUBLE, 2).message == "");
  // Columns of a matrix lie between each other.
  CHECK(with_two_receives(0, MPI_DATATYPE_NULL, 1).message == "");
  CHECK(with_two_receives(0, MPI_DATATYPE_NULL, 7).message == "");
  CHECK(with_two_receives(0, MPI_DATATYPE_NULL, 0).class_name == "overlapping buffers");
  CHECK(with_two_receives(0, MPI_DATATYPE_NULL, 8).class_name == "overlapping buffers");
}

TEST_CASE("a receive must not share memory with a send, two sends may") {
  const auto run = [](bool receives) {
    return fake::run(1, [=](int) {
      static std::array<int, 4> data{};
      static std::array<int, 4> in{};
      std::array<MPI_Request, 2> requests{};
      MPI_Isend(data.data(), 4, MPI_INT, 0, 0, MPI_COMM_WORLD, &requests[0]);
      if (receives)
        MPI_Irecv(data.data() + 3, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &requests[1]);
      else
        MPI_Isend(data.data() + 3, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &requests[1]);
      MPI_Recv(in.data(), 4, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Recv(in.data(), 4, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
    });
  };
  CHECK(run(true).class_name == "overlapping buffers");
  CHECK(run(false).message == "");
}

TEST_CASE("a blocking call does not use a buffer that belongs to an operation under way") {
  const auto run = [](std::size_t used) {
    return fake::run(1, [=](int) {
      static std::array<int, 2> data{};
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Irecv(data.data(), 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
      MPI_Send(&data.at(used), 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    });
  };
  const auto wrong = run(0);
  CHECK(wrong.class_name == "buffer in use");
  CHECK_THAT(wrong.message, Catch::Contains("MPI_Send: it reads from memory that belongs to the "
                                            "MPI_Irecv of the other line"));
  CHECK(run(1).message == "");
}

TEST_CASE("the two buffers of MPI_Sendrecv are apart") {
  const auto run = [](std::size_t place) {
    return fake::run(1, [=](int) {
      std::array<int, 4> data{};
      MPI_Sendrecv(data.data(), 2, MPI_INT, 0, 0, &data.at(place), 2, MPI_INT, 0, 0, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
    });
  };
  CHECK(run(1).class_name == "overlapping buffers");
  CHECK(run(2).message == "");
}

TEST_CASE("a buffer of MPI_Sendrecv without elements is apart from any other") {
  const auto outcome = fake::run(1, [](int) {
    std::array<int, 4> data{};
    MPI_Sendrecv(&data[1], 0, MPI_INT, 0, 0, data.data(), 4, MPI_INT, 0, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  });
  CHECK(outcome.message == "");
}

TEST_CASE("a buffer is the program's again once its request is complete") {
  const auto outcome = fake::run(1, [](int) {
    static int value = 0;
    for (int round = 0; round < 3; ++round) {
      int in = 0;
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Isend(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
      MPI_Recv(&in, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      CHECK(in == round);
      ++value;
    }
    value = 0;
  });
  CHECK(outcome.message == "");
}

namespace {

/// A type under way as a send, of which one byte is changed meanwhile.
struct Touched {
  std::size_t bytes = 0;  ///< of all its memory
  std::function<MPI_Datatype()> make;
};

fake::Outcome touch(const Touched& touched, std::size_t place) {
  return fake::run(1, [&](int) {
    static std::vector<unsigned char> data;
    static std::vector<unsigned char> in;
    data.assign(touched.bytes, 1);
    in.assign(touched.bytes, 2);
    std::array<MPI_Request, 2> requests{};
    MPI_Datatype type = touched.make();
    MPI_Type_commit(&type);
    MPI_Irecv(in.data(), 1, type, 0, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(data.data(), 1, type, 0, 0, MPI_COMM_WORLD, &requests[1]);
    ++data.at(place);
    MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
    MPI_Type_free(&type);
  });
}

MPI_Datatype columns(int rows, MPI_Datatype of, int values, int row_values) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_vector(rows, values, row_values, of, &type);
  return type;
}

}  // namespace

TEST_CASE("of a type with holes each value is looked at, and no hole") {
  struct Column {
    MPI_Datatype of;
    std::size_t value_bytes;
  };
  const std::array<Column, 4> kinds{
      {{MPI_CHAR, 1}, {MPI_INT, 4}, {MPI_DOUBLE, 8}, {MPI_LONG_DOUBLE, 16}}};
  for (const Column& kind : kinds) {
    for (const int values : {1, 3}) {
      constexpr int rows = 5;
      constexpr int row_values = 4;
      const std::size_t row_bytes = row_values * kind.value_bytes;
      const Touched touched{rows * row_bytes,
                            [&] { return columns(rows, kind.of, values, row_values); }};
      for (std::size_t place = 0; place < touched.bytes; ++place) {
        CAPTURE(kind.value_bytes, values, place);
        const bool is_value =
            place % row_bytes / kind.value_bytes < static_cast<std::size_t>(values);
        CHECK(touch(touched, place).class_name == (is_value ? "buffer in use" : ""));
      }
    }
  }
}

TEST_CASE("of a type of types with many runs, runs at even distances are looked at") {
  // 10 planes of 60 rows of one number each: of 600 runs every second one.
  constexpr std::size_t row_bytes = 3 * sizeof(double);
  constexpr std::size_t plane_bytes = 61 * row_bytes;
  const Touched touched{10 * plane_bytes, [&] {
                          MPI_Datatype plane = columns(60, MPI_DOUBLE, 1, 3);
                          MPI_Datatype type = MPI_DATATYPE_NULL;
                          MPI_Type_create_hvector(10, 1, plane_bytes, plane, &type);
                          MPI_Type_free(&plane);
                          return type;
                        }};
  std::size_t found = 0;
  for (std::size_t plane = 0; plane < 10; ++plane)
    for (std::size_t row = 0; row < 60; ++row)
      if (!touch(touched, plane * plane_bytes + row * row_bytes).message.empty()) ++found;
  CHECK(found == 300);
  CHECK(touch(touched, row_bytes - 1).message == "");  // a hole
}

TEST_CASE("receives that lie between each other are told apart, however many kinds there were") {
  // More kinds of buffers, and pairs of them, than are remembered.
  const auto run = [](int last_place) {
    return fake::run(1, [=](int) {
      static std::vector<int> in(20'000);
      int out = 0;
      MPI_Datatype type = MPI_DATATYPE_NULL;
      MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &type);
      MPI_Type_commit(&type);
      const auto exchange = [&](int count, int place) {
        std::array<MPI_Request, 2> requests{};
        MPI_Irecv(in.data(), count, type, 0, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(in.data() + place, 2, type, 0, 1, MPI_COMM_WORLD, &requests[1]);
        MPI_Send(&out, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Send(&out, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
        MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
      };
      for (int count = 2; count < 6000; ++count)
        for (const int place : {1, 3, 2 * count - 3}) exchange(count, place);
      exchange(100, last_place);
      MPI_Type_free(&type);
    });
  };
  CHECK(run(51).message == "");
  CHECK(run(197).message == "");
  CHECK(run(50).class_name == "overlapping buffers");
  CHECK(run(198).class_name == "overlapping buffers");
  CHECK(run(200).message == "");
}
