// Chapter 4: every way to make a type, what is known of it afterwards, and what is refused.
#include <array>
#include <cstddef>
#include <vector>

#include <catch2/catch.hpp>

#include "mpi_fake_runtime.hpp"

namespace {

// The bytes of 0..255 that `count` elements of the type take, in order, the first at `first`.
std::vector<int> places(MPI_Datatype type, int count = 1, int first = 0) {
  std::array<unsigned char, 256> memory{};
  for (std::size_t place = 0; place < 256; ++place)
    memory[place] = static_cast<unsigned char>(place);
  std::array<unsigned char, 256> packed{};
  int position = 0;
  MPI_Type_commit(&type);
  MPI_Pack(&memory[static_cast<std::size_t>(first)], count, type, packed.data(), 256, &position,
           MPI_COMM_WORLD);
  return {packed.begin(), packed.begin() + position};
}

struct Extents {
  MPI_Aint lower;
  MPI_Aint extent;
  MPI_Aint true_lower;
  MPI_Aint true_extent;
  bool operator==(const Extents&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Extents& it) {
  return out << it.lower << ' ' << it.extent << ' ' << it.true_lower << ' ' << it.true_extent;
}

Extents extents(MPI_Datatype type) {
  Extents found{};
  CHECK(MPI_Type_get_extent(type, &found.lower, &found.extent) == MPI_SUCCESS);
  CHECK(MPI_Type_get_true_extent(type, &found.true_lower, &found.true_extent) == MPI_SUCCESS);
  MPI_Count lower = 0;
  MPI_Count extent = 0;
  MPI_Type_get_extent_x(type, &lower, &extent);
  CHECK((lower == found.lower && extent == found.extent));
  MPI_Type_get_true_extent_x(type, &lower, &extent);
  CHECK((lower == found.true_lower && extent == found.true_extent));
  return found;
}

struct Contents {
  int combiner = -1;
  std::vector<int> integers;
  std::vector<MPI_Aint> addresses;
  std::vector<MPI_Datatype> types;
};

Contents contents(MPI_Datatype type) {
  int integers = 0;
  int addresses = 0;
  int types = 0;
  Contents found;
  MPI_Type_get_envelope(type, &integers, &addresses, &types, &found.combiner);
  found.integers.resize(static_cast<std::size_t>(integers));
  found.addresses.resize(static_cast<std::size_t>(addresses));
  found.types.resize(static_cast<std::size_t>(types));
  if (found.combiner != MPI_COMBINER_NAMED)
    MPI_Type_get_contents(type, integers, addresses, types, found.integers.data(),
                          found.addresses.data(), found.types.data());
  return found;
}

void as_one_rank(const std::function<void()>& program) {
  const auto outcome = fake::run(1, [&](int) { program(); });
  CHECK(outcome.message == "");
}

}  // namespace

TEST_CASE("MPI_Type_contiguous and MPI_Type_vector are known by their contents") {
  as_one_rank([] {
    MPI_Datatype three = MPI_DATATYPE_NULL;
    CHECK(MPI_Type_contiguous(3, MPI_CHAR, &three) == MPI_SUCCESS);
    CHECK(places(three, 2) == std::vector{0, 1, 2, 3, 4, 5});
    MPI_Datatype vector = MPI_DATATYPE_NULL;
    CHECK(MPI_Type_vector(2, 2, 3, three, &vector) == MPI_SUCCESS);
    CHECK(places(vector) == std::vector{0, 1, 2, 3, 4, 5, 9, 10, 11, 12, 13, 14});
    CHECK(extents(vector) == Extents{0, 15, 0, 15});
    const Contents made = contents(vector);
    CHECK(made.combiner == MPI_COMBINER_VECTOR);
    CHECK(made.integers == std::vector{2, 2, 3});
    CHECK(made.addresses.empty());
    REQUIRE(made.types.size() == 1);
    // A derived part is a new handle for the same type, the program's to free.
    CHECK(made.types[0] != three);
    CHECK(contents(made.types[0]).combiner == MPI_COMBINER_CONTIGUOUS);
    CHECK(contents(made.types[0]).types == std::vector{MPI_CHAR});
    MPI_Type_free(&three);
    MPI_Datatype part = made.types[0];
    CHECK(places(part) == std::vector{0, 1, 2});
    CHECK(MPI_Type_free(&part) == MPI_SUCCESS);
    CHECK(contents(MPI_INT).combiner == MPI_COMBINER_NAMED);
  });
}

TEST_CASE("the indexed types scatter their blocks") {
  as_one_rank([] {
    const std::array<int, 3> lengths{2, 0, 1};
    const std::array<int, 3> shorts{3, 1, 0};
    const std::array<MPI_Aint, 3> bytes{7, 1, 2};
    MPI_Datatype type = MPI_DATATYPE_NULL;
    CHECK(MPI_Type_indexed(3, lengths.data(), shorts.data(), MPI_SHORT, &type) == MPI_SUCCESS);
    CHECK(places(type) == std::vector{6, 7, 8, 9, 0, 1});
    CHECK(extents(type) == Extents{0, 10, 0, 10});
    CHECK(contents(type).combiner == MPI_COMBINER_INDEXED);
    CHECK(contents(type).integers == std::vector{3, 2, 0, 1, 3, 1, 0});
    CHECK(MPI_Type_create_hindexed(3, lengths.data(), bytes.data(), MPI_SHORT, &type) ==
          MPI_SUCCESS);
    CHECK(places(type) == std::vector{7, 8, 9, 10, 2, 3});
    CHECK(extents(type) == Extents{2, 10, 2, 9});
    CHECK(contents(type).combiner == MPI_COMBINER_HINDEXED);
    CHECK(contents(type).integers == std::vector{3, 2, 0, 1});
    CHECK(contents(type).addresses == std::vector<MPI_Aint>{7, 1, 2});
    CHECK(MPI_Type_create_indexed_block(3, 2, shorts.data(), MPI_CHAR, &type) == MPI_SUCCESS);
    CHECK(places(type) == std::vector{3, 4, 1, 2, 0, 1});
    CHECK(contents(type).combiner == MPI_COMBINER_INDEXED_BLOCK);
    CHECK(contents(type).integers == std::vector{3, 2, 3, 1, 0});
    CHECK(MPI_Type_create_hindexed_block(3, 1, bytes.data(), MPI_SHORT, &type) == MPI_SUCCESS);
    CHECK(places(type) == std::vector{7, 8, 1, 2, 2, 3});
    CHECK(contents(type).combiner == MPI_COMBINER_HINDEXED_BLOCK);
    CHECK(contents(type).integers == std::vector{3, 1});
    CHECK(contents(type).addresses == std::vector<MPI_Aint>{7, 1, 2});
    CHECK(MPI_Type_create_hvector(2, 1, 5, MPI_SHORT, &type) == MPI_SUCCESS);
    CHECK(places(type) == std::vector{0, 1, 5, 6});
    // The extent is rounded up to the alignment of a short (section 4.1.6).
    CHECK(extents(type) == Extents{0, 8, 0, 7});
    CHECK(contents(type).combiner == MPI_COMBINER_HVECTOR);
    CHECK(contents(type).addresses == std::vector<MPI_Aint>{5});
  });
}

TEST_CASE("bounds that were set are kept by the types made of the type, and others are not") {
  as_one_rank([] {
    MPI_Datatype wide = MPI_DATATYPE_NULL;
    CHECK(MPI_Type_create_resized(MPI_SHORT, -3, 11, &wide) == MPI_SUCCESS);
    CHECK(extents(wide) == Extents{-3, 11, 0, 2});
    CHECK(contents(wide).combiner == MPI_COMBINER_RESIZED);
    CHECK(contents(wide).addresses == std::vector<MPI_Aint>{-3, 11});
    // Example 4.? of section 4.1.7: (lb_marker, -3) and (ub_marker, 9 + 11) count, and nothing
    // else.
    MPI_Datatype twice = MPI_DATATYPE_NULL;
    CHECK(MPI_Type_contiguous(2, wide, &twice) == MPI_SUCCESS);
    CHECK(extents(twice) == Extents{-3, 22, 0, 13});
    const std::array<int, 2> lengths{1, 1};
    const std::array<MPI_Aint, 2> offsets{0, 100};
    const std::array<MPI_Datatype, 2> types{wide, MPI_DOUBLE};
    MPI_Datatype both = MPI_DATATYPE_NULL;
    CHECK(MPI_Type_create_struct(2, lengths.data(), offsets.data(), types.data(), &both) ==
          MPI_SUCCESS);
    CHECK(extents(both) == Extents{-3, 11, 0, 108});
    CHECK(contents(both).combiner == MPI_COMBINER_STRUCT);
    CHECK(contents(both).types[1] == MPI_DOUBLE);
    // New bounds take the place of the old ones.
    MPI_Datatype narrow = MPI_DATATYPE_NULL;
    MPI_Type_create_resized(both, 0, 4, &narrow);
    CHECK(extents(narrow) == Extents{0, 4, 0, 108});
    // Nothing at all has no bounds to keep; a marker without data has.
    MPI_Datatype empty = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(0, MPI_INT, &empty);
    CHECK(extents(empty) == Extents{0, 0, 0, 0});
    MPI_Type_create_resized(empty, 8, 8, &empty);
    const std::array<MPI_Datatype, 2> with_empty{empty, MPI_INT};
    const std::array<MPI_Aint, 2> at_zero{0, 0};
    MPI_Type_create_struct(2, lengths.data(), at_zero.data(), with_empty.data(), &both);
    CHECK(extents(both) == Extents{8, 8, 0, 4});
  });
}

TEST_CASE("a duplicate is committed as the original was, and outlives it") {
  as_one_rank([] {
    MPI_Datatype vector = MPI_DATATYPE_NULL;
    MPI_Type_vector(2, 1, 2, MPI_CHAR, &vector);
    MPI_Datatype early = MPI_DATATYPE_NULL;
    CHECK(MPI_Type_dup(vector, &early) == MPI_SUCCESS);
    MPI_Type_commit(&vector);
    MPI_Datatype late = MPI_DATATYPE_NULL;
    CHECK(MPI_Type_dup(vector, &late) == MPI_SUCCESS);
    MPI_Type_free(&vector);
    CHECK(contents(late).combiner == MPI_COMBINER_DUP);
    std::array<char, 3> data{1, 2, 3};
    CHECK(MPI_Send(data.data(), 1, late, MPI_PROC_NULL, 0, MPI_COMM_WORLD) == MPI_SUCCESS);
    CHECK(places(late) == std::vector{0, 2});
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    CHECK(MPI_Send(data.data(), 1, early, MPI_PROC_NULL, 0, MPI_COMM_WORLD) == MPI_ERR_TYPE);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  });
}

TEST_CASE("a subarray is the same part of an array in either order") {
  as_one_rank([] {
    const std::array<int, 2> sizes{4, 5};
    const std::array<int, 2> parts{2, 3};
    const std::array<int, 2> starts{1, 2};
    MPI_Datatype rows = MPI_DATATYPE_NULL;
    CHECK(MPI_Type_create_subarray(2, sizes.data(), parts.data(), starts.data(), MPI_ORDER_C,
                                   MPI_CHAR, &rows) == MPI_SUCCESS);
    CHECK(places(rows) == std::vector{7, 8, 9, 12, 13, 14});
    CHECK(extents(rows) == Extents{0, 20, 7, 8});
    MPI_Datatype columns = MPI_DATATYPE_NULL;
    CHECK(MPI_Type_create_subarray(2, sizes.data(), parts.data(), starts.data(), MPI_ORDER_FORTRAN,
                                   MPI_CHAR, &columns) == MPI_SUCCESS);
    CHECK(places(columns) == std::vector{9, 10, 13, 14, 17, 18});
    CHECK(contents(columns).combiner == MPI_COMBINER_SUBARRAY);
    CHECK(contents(columns).integers == std::vector{2, 4, 5, 2, 3, 1, 2, MPI_ORDER_FORTRAN});
  });
}

TEST_CASE("a distributed array gives each element to one process") {
  as_one_rank([] {
    struct Case {
      std::vector<int> gsizes, distribs, dargs, psizes;
    };
    const int block = MPI_DISTRIBUTE_BLOCK;
    const int cyclic = MPI_DISTRIBUTE_CYCLIC;
    const int none = MPI_DISTRIBUTE_NONE;
    const int dflt = MPI_DISTRIBUTE_DFLT_DARG;
    const std::vector<Case> cases{{{10}, {block}, {dflt}, {3}},
                                  {{10}, {block}, {6}, {3}},
                                  {{10}, {cyclic}, {dflt}, {3}},
                                  {{11}, {cyclic}, {2}, {3}},
                                  {{4, 9}, {none, cyclic}, {dflt, 2}, {1, 4}},
                                  {{5, 4, 6}, {block, none, cyclic}, {dflt, dflt, 4}, {2, 1, 2}}};
    for (const Case& it : cases) {
      const auto dimensions = static_cast<int>(it.gsizes.size());
      int processes = 1;
      int elements = 1;
      for (const int size : it.psizes) processes *= size;
      for (const int size : it.gsizes) elements *= size;
      for (const int order : {MPI_ORDER_C, MPI_ORDER_FORTRAN}) {
        std::vector<int> owners(static_cast<std::size_t>(elements), -1);
        for (int rank = 0; rank < processes; ++rank) {
          MPI_Datatype part = MPI_DATATYPE_NULL;
          REQUIRE(MPI_Type_create_darray(processes, rank, dimensions, it.gsizes.data(),
                                         it.distribs.data(), it.dargs.data(), it.psizes.data(),
                                         order, MPI_CHAR, &part) == MPI_SUCCESS);
          CHECK(extents(part).extent == elements);
          CHECK(extents(part).lower == 0);
          int last = -1;
          for (const int place : places(part)) {
            CHECK(owners[static_cast<std::size_t>(place)] == -1);
            CHECK(place > last);
            owners[static_cast<std::size_t>(place)] = rank;
            last = place;
          }
          MPI_Type_free(&part);
        }
        for (const int owner : owners) CHECK(owner >= 0);
      }
    }
    // The second process of a grid of 2 x 2 is the one to the right of the first, in both orders.
    const std::array<int, 2> four{4, 4};
    const std::array<int, 2> blocks{block, block};
    const std::array<int, 2> dargs{dflt, dflt};
    const std::array<int, 2> two{2, 2};
    MPI_Datatype part = MPI_DATATYPE_NULL;
    MPI_Type_create_darray(4, 1, 2, four.data(), blocks.data(), dargs.data(), two.data(),
                           MPI_ORDER_C, MPI_CHAR, &part);
    CHECK(places(part) == std::vector{2, 3, 6, 7});
    CHECK(contents(part).combiner == MPI_COMBINER_DARRAY);
    CHECK(contents(part).integers ==
          std::vector{4, 1, 2, 4, 4, block, block, dflt, dflt, 2, 2, MPI_ORDER_C});
    MPI_Type_create_darray(4, 1, 2, four.data(), blocks.data(), dargs.data(), two.data(),
                           MPI_ORDER_FORTRAN, MPI_CHAR, &part);
    CHECK(places(part) == std::vector{8, 9, 12, 13});
  });
}

TEST_CASE("elements are counted where only a part of the last one came") {
  as_one_rank([] {
    const std::array<int, 2> lengths{1, 2};
    const std::array<MPI_Aint, 2> offsets{0, 8};
    const std::array<MPI_Datatype, 2> types{MPI_DOUBLE, MPI_INT};
    MPI_Datatype record = MPI_DATATYPE_NULL;
    MPI_Type_create_struct(2, lengths.data(), offsets.data(), types.data(), &record);
    MPI_Status status{};
    int count = 0;
    MPI_Count long_count = 0;
    const auto counted = [&](std::size_t bytes) {
      status._ucount = bytes;
      CHECK(MPI_Get_elements(&status, record, &count) == MPI_SUCCESS);
      CHECK(MPI_Get_elements_x(&status, record, &long_count) == MPI_SUCCESS);
      CHECK(count == long_count);
      return count;
    };
    CHECK(counted(0) == 0);
    CHECK(counted(32) == 6);
    CHECK(counted(16 + 8) == 4);
    CHECK(counted(16 + 8 + 4) == 5);
    CHECK(counted(16 + 6) == MPI_UNDEFINED);
    status._ucount = 24;
    MPI_Get_count(&status, record, &count);
    CHECK(count == MPI_UNDEFINED);
    status._ucount = std::size_t{16} << 32U;
    MPI_Get_elements(&status, record, &count);
    CHECK(count == MPI_UNDEFINED);
    MPI_Get_elements_x(&status, record, &long_count);
    CHECK(long_count == 3LL << 32U);
  });
}

TEST_CASE("a type of more bytes than an int holds has a size that MPI_Type_size_x gives") {
  as_one_rank([] {
    MPI_Datatype row = MPI_DATATYPE_NULL;
    MPI_Datatype table = MPI_DATATYPE_NULL;
    MPI_Type_vector(1 << 20, 1, 2, MPI_DOUBLE, &row);
    MPI_Type_contiguous(1 << 20, row, &table);
    int size = 0;
    MPI_Count long_size = 0;
    CHECK(MPI_Type_size(table, &size) == MPI_SUCCESS);
    CHECK(size == MPI_UNDEFINED);
    CHECK(MPI_Type_size_x(table, &long_size) == MPI_SUCCESS);
    CHECK(long_size == 8LL << 40U);
    MPI_Type_size_x(row, &long_size);
    CHECK(long_size == 8LL << 20U);
  });
}
