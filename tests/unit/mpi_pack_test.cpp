// Sections 4.2 and 4.3: MPI_Pack and its kin, and the representation "external32".
#include <array>
#include <complex>
#include <cstring>
#include <vector>

#include <catch2/catch.hpp>

#include "mpi_fake_runtime.hpp"

namespace {

void as_one_rank(const std::function<void()>& program) {
  const auto outcome = fake::run(1, [&](int) { program(); });
  CHECK(outcome.message == "");
}

std::string message_of(const std::function<void()>& program) {
  return fake::run(1, [&](int) { program(); }).message;
}

template <typename T>
std::vector<int> external_bytes(const std::vector<T>& values, MPI_Datatype type) {
  std::vector<unsigned char> packed(256);
  MPI_Aint position = 0;
  MPI_Aint size = 0;
  const auto count = static_cast<int>(values.size());
  CHECK(MPI_Pack_external_size("external32", count, type, &size) == MPI_SUCCESS);
  CHECK(MPI_Pack_external("external32", values.data(), count, type, packed.data(), 256,
                          &position) == MPI_SUCCESS);
  CHECK(position == size);
  std::vector<T> back(values.size());
  position = 0;
  CHECK(MPI_Unpack_external("external32", packed.data(), size, &position, back.data(), count,
                            type) == MPI_SUCCESS);
  CHECK(position == size);
  CHECK(back == values);
  return {packed.begin(), packed.begin() + size};
}

}  // namespace

TEST_CASE("what was packed in pieces is unpacked in pieces, also at another rank") {
  const auto outcome = fake::run(2, [](int rank) {
    std::array<char, 64> buffer{};
    int position = 0;
    if (rank == 0) {
      const int number = 3;
      const std::array<double, 4> grid{1, 2, 3, 4};
      MPI_Datatype even = MPI_DATATYPE_NULL;
      MPI_Type_vector(2, 1, 2, MPI_DOUBLE, &even);
      MPI_Type_commit(&even);
      int size = 0;
      CHECK(MPI_Pack_size(2, even, MPI_COMM_WORLD, &size) == MPI_SUCCESS);
      CHECK(size == 32);
      CHECK(MPI_Pack(&number, 1, MPI_INT, buffer.data(), 64, &position, MPI_COMM_WORLD) ==
            MPI_SUCCESS);
      CHECK(MPI_Pack(grid.data(), 1, even, buffer.data(), 64, &position, MPI_COMM_WORLD) ==
            MPI_SUCCESS);
      CHECK(position == 20);
      MPI_Send(buffer.data(), position, MPI_PACKED, 1, 0, MPI_COMM_WORLD);
    } else {
      MPI_Recv(buffer.data(), 64, MPI_PACKED, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      int number = 0;
      std::array<double, 2> even{};
      CHECK(MPI_Unpack(buffer.data(), 64, &position, &number, 1, MPI_INT, MPI_COMM_WORLD) ==
            MPI_SUCCESS);
      CHECK(MPI_Unpack(buffer.data(), 64, &position, even.data(), 2, MPI_DOUBLE, MPI_COMM_WORLD) ==
            MPI_SUCCESS);
      CHECK((number == 3 && even == std::array<double, 2>{1, 3}));
    }
  });
  CHECK(outcome.message == "");
}

TEST_CASE("a struct of arrays is packed from MPI_BOTTOM by absolute addresses") {
  as_one_rank([] {
    std::array<int, 3> first{1, 2, 3};
    std::array<double, 2> second{4, 5};
    const std::array<int, 2> lengths{3, 2};
    std::array<MPI_Aint, 2> places{};
    const std::array<MPI_Datatype, 2> types{MPI_INT, MPI_DOUBLE};
    MPI_Get_address(first.data(), &places[0]);
    MPI_Get_address(second.data(), &places[1]);
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_create_struct(2, lengths.data(), places.data(), types.data(), &type);
    MPI_Type_commit(&type);
    std::array<char, 28> packed{};
    int position = 0;
    MPI_Pack(MPI_BOTTOM, 1, type, packed.data(), 28, &position, MPI_COMM_WORLD);
    first = {};
    second = {};
    position = 0;
    MPI_Unpack(packed.data(), 28, &position, MPI_BOTTOM, 1, type, MPI_COMM_WORLD);
    CHECK(first == std::array<int, 3>{1, 2, 3});
    CHECK(second == std::array<double, 2>{4, 5});
    CHECK(MPI_Aint_diff(MPI_Aint_add(places[0], 4), places[0]) == 4);
  });
}

TEST_CASE("external32 is big endian and has the sizes of table 13.2") {
  as_one_rank([] {
    CHECK(external_bytes<int>({1, -2}, MPI_INT) == std::vector{0, 0, 0, 1, 255, 255, 255, 254});
    CHECK(external_bytes<short>({258}, MPI_SHORT) == std::vector{1, 2});
    CHECK(external_bytes<long>({-3, 70000}, MPI_LONG) ==
          std::vector{255, 255, 255, 253, 0, 1, 17, 112});
    CHECK(external_bytes<unsigned long>({4000000000UL}, MPI_UNSIGNED_LONG) ==
          std::vector{238, 107, 40, 0});
    CHECK(external_bytes<long long>({1}, MPI_LONG_LONG) == std::vector{0, 0, 0, 0, 0, 0, 0, 1});
    CHECK(external_bytes<double>({1.0}, MPI_DOUBLE) == std::vector{0x3f, 0xf0, 0, 0, 0, 0, 0, 0});
    CHECK(external_bytes<float>({-2.0F}, MPI_FLOAT) == std::vector{0xc0, 0, 0, 0});
    CHECK(external_bytes<wchar_t>({L'A'}, MPI_WCHAR) == std::vector{0, 65});
    CHECK(external_bytes<std::complex<float>>({{1, -2}}, MPI_C_COMPLEX) ==
          std::vector{0x3f, 0x80, 0, 0, 0xc0, 0, 0, 0});
    // An IEEE number of 16 bytes: sign, 15 bits of exponent, 112 of fraction.
    CHECK(external_bytes<long double>({1.5L}, MPI_LONG_DOUBLE) ==
          std::vector{0x3f, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
    const std::vector<std::pair<MPI_Datatype, MPI_Aint>> sizes{{MPI_PACKED, 1},
                                                               {MPI_BYTE, 1},
                                                               {MPI_CHAR, 1},
                                                               {MPI_UNSIGNED, 4},
                                                               {MPI_AINT, 8},
                                                               {MPI_OFFSET, 8},
                                                               {MPI_COUNT, 8},
                                                               {MPI_C_BOOL, 1},
                                                               {MPI_C_LONG_DOUBLE_COMPLEX, 32},
                                                               {MPI_LOGICAL, 4},
                                                               {MPI_INTEGER, 4},
                                                               {MPI_DOUBLE_PRECISION, 8},
                                                               {MPI_DOUBLE_COMPLEX, 16},
                                                               {MPI_REAL16, 16},
                                                               {MPI_INT64_T, 8},
                                                               {MPI_LONG_INT, 8},
                                                               {MPI_LONG_DOUBLE_INT, 20}};
    for (const auto& [type, expected] : sizes) {
      MPI_Aint size = 0;
      MPI_Pack_external_size("external32", 3, type, &size);
      CHECK(size == 3 * expected);
    }
  });
}

TEST_CASE("packing says what is too small or wrong") {
  static std::array<int, 8> data{};
  static std::array<char, 16> buffer{};
  const auto pack_at = [](int position, int size) {
    return message_of([=] {
      int place = position;
      MPI_Pack(data.data(), 3, MPI_INT, buffer.data(), size, &place, MPI_COMM_WORLD);
    });
  };
  CHECK_THAT(pack_at(5, 16),
             Catch::Contains("MPI_Pack: 12 bytes are needed, but from position 5 to "
                             "the end of outbuf there are 11"));
  CHECK_THAT(pack_at(-1, 16), Catch::Contains("argument position is -1"));
  CHECK_THAT(pack_at(17, 16), Catch::Contains("argument position is 17"));
  CHECK_THAT(pack_at(0, -16), Catch::Contains("argument outsize is -16"));
  CHECK_THAT(message_of([] {
               int place = 8;
               MPI_Unpack(buffer.data(), 16, &place, data.data(), 3, MPI_INT, MPI_COMM_WORLD);
             }),
             Catch::Contains("MPI_Unpack: 12 bytes are needed"));
  CHECK_THAT(message_of([] {
               MPI_Aint place = 0;
               MPI_Pack_external("native", data.data(), 1, MPI_INT, buffer.data(), 16, &place);
             }),
             Catch::Contains("argument datarep is \"native\", and must be \"external32\""));
  CHECK_THAT(message_of([] {
               int size = 0;
               MPI_Pack_size(-1, MPI_INT, MPI_COMM_WORLD, &size);
             }),
             Catch::Contains("argument incount is -1"));
}
