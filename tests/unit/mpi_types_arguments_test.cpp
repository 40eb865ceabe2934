// Chapter 4: what is wrong with the arguments that make types.
#include <array>

#include <catch2/catch.hpp>

#include "mpi_fake_runtime.hpp"

namespace {

std::string message_of(const std::function<void(MPI_Datatype*)>& program) {
  return fake::run(1,
                   [&](int) {
                     MPI_Datatype type = MPI_DATATYPE_NULL;
                     program(&type);
                   })
      .message;
}

std::string subarray(int ndims, int size, int part, int start, int order) {
  return message_of([=](MPI_Datatype* type) {
    MPI_Type_create_subarray(ndims, &size, &part, &start, order, MPI_INT, type);
  });
}

std::string darray(int size, int rank, int distribution, int argument, int processes) {
  return message_of([=](MPI_Datatype* type) {
    const int elements = 10;
    MPI_Type_create_darray(size, rank, 1, &elements, &distribution, &argument, &processes,
                           MPI_ORDER_C, MPI_INT, type);
  });
}

}  // namespace

TEST_CASE("a constructor names the argument that is wrong") {
  CHECK_THAT(message_of([](MPI_Datatype* type) { MPI_Type_contiguous(-1, MPI_INT, type); }),
             Catch::Contains("MPI_Type_contiguous: argument count is -1"));
  CHECK_THAT(message_of([](MPI_Datatype*) { MPI_Type_contiguous(1, MPI_INT, nullptr); }),
             Catch::Contains("argument newtype is a null pointer"));
  CHECK_THAT(message_of([](MPI_Datatype* type) { MPI_Type_vector(1, -2, 1, MPI_INT, type); }),
             Catch::Contains("argument blocklength is -2"));
  CHECK_THAT(message_of([](MPI_Datatype* type) {
               MPI_Type_create_hvector(1, 1, 1, MPI_DATATYPE_NULL, type);
             }),
             Catch::Contains("argument oldtype is MPI_DATATYPE_NULL"));
  const std::array<int, 2> lengths{1, -1};
  const std::array<int, 2> steps{0, 1};
  const std::array<MPI_Aint, 2> offsets{0, 1};
  CHECK_THAT(message_of([&](MPI_Datatype* type) {
               MPI_Type_indexed(2, lengths.data(), steps.data(), MPI_INT, type);
             }),
             Catch::Contains("argument array_of_blocklengths[1] is -1"));
  CHECK_THAT(message_of([&](MPI_Datatype* type) {
               MPI_Type_create_hindexed(1, lengths.data(), nullptr, MPI_INT, type);
             }),
             Catch::Contains("argument array_of_displacements is a null pointer"));
  CHECK_THAT(message_of([&](MPI_Datatype* type) {
               MPI_Type_create_indexed_block(2, -3, steps.data(), MPI_INT, type);
             }),
             Catch::Contains("argument blocklength is -3"));
  CHECK_THAT(message_of([&](MPI_Datatype* type) {
               MPI_Type_create_hindexed_block(-2, 1, offsets.data(), MPI_INT, type);
             }),
             Catch::Contains("argument count is -2"));
  CHECK_THAT(message_of([&](MPI_Datatype* type) {
               const std::array<MPI_Datatype, 2> types{MPI_INT, MPI_DATATYPE_NULL};
               const std::array<int, 2> ones{1, 1};
               MPI_Type_create_struct(2, ones.data(), offsets.data(), types.data(), type);
             }),
             Catch::Contains("argument array_of_types is MPI_DATATYPE_NULL"));
  CHECK_THAT(message_of([](MPI_Datatype* type) { MPI_Type_dup(nullptr, type); }),
             Catch::Contains("argument oldtype is a null pointer"));
  CHECK_THAT(message_of([](MPI_Datatype* type) {
               MPI_Type_create_resized(MPI_INT, 0, 4, type);
               MPI_Datatype copy = *type;
               MPI_Type_free(type);
               MPI_Type_commit(&copy);
             }),
             Catch::Contains("argument datatype is a type that was freed"));
}

TEST_CASE("a part of an array must lie in it") {
  CHECK_THAT(subarray(0, 4, 1, 0, MPI_ORDER_C), Catch::Contains("argument ndims is 0"));
  CHECK_THAT(subarray(1, 0, 1, 0, MPI_ORDER_C), Catch::Contains("array_of_sizes[0] is 0"));
  CHECK_THAT(subarray(1, 4, 5, 0, MPI_ORDER_C), Catch::Contains("array_of_subsizes[0] is 5"));
  CHECK_THAT(subarray(1, 4, 3, 2, MPI_ORDER_C), Catch::Contains("array_of_starts[0] is 2"));
  CHECK_THAT(subarray(1, 4, 3, 0, 9), Catch::Contains("argument order is 9"));
  CHECK(subarray(1, 4, 3, 1, MPI_ORDER_FORTRAN) == "");
}

TEST_CASE("the processes of a distributed array must fit its grid") {
  const int dflt = MPI_DISTRIBUTE_DFLT_DARG;
  CHECK_THAT(darray(0, 0, MPI_DISTRIBUTE_BLOCK, dflt, 1), Catch::Contains("argument size is 0"));
  CHECK_THAT(darray(2, 2, MPI_DISTRIBUTE_BLOCK, dflt, 2), Catch::Contains("argument rank is 2"));
  CHECK_THAT(darray(2, 0, MPI_DISTRIBUTE_BLOCK, dflt, 3),
             Catch::Contains("the product of array_of_psizes is 3, but argument size is 2"));
  CHECK_THAT(darray(2, 0, 17, dflt, 2), Catch::Contains("array_of_distribs[0] is 17"));
  CHECK_THAT(darray(2, 0, MPI_DISTRIBUTE_NONE, dflt, 2),
             Catch::Contains("array_of_psizes[0] is 2, and must be 1"));
  CHECK_THAT(darray(2, 0, MPI_DISTRIBUTE_BLOCK, 4, 2),
             Catch::Contains("array_of_dargs[0] is 4, and must be so large"));
  CHECK_THAT(darray(2, 0, MPI_DISTRIBUTE_CYCLIC, 0, 2),
             Catch::Contains("array_of_dargs[0] is 0, and must be positive"));
}

TEST_CASE("the contents of a type need room, and a predefined one has none") {
  CHECK_THAT(message_of([](MPI_Datatype* type) {
               int count = 0;
               MPI_Type_contiguous(2, MPI_INT, type);
               MPI_Type_get_contents(*type, 0, 0, 1, &count, nullptr, type);
             }),
             Catch::Contains("argument max_integers is 0, but MPI_Type_get_envelope gives 1"));
  CHECK_THAT(
      message_of([](MPI_Datatype* type) {
        MPI_Type_get_contents(MPI_INT, 0, 0, 0, nullptr, nullptr, type);
      }),
      Catch::Contains("argument datatype is MPI_INT, and a predefined type has no contents"));
}

TEST_CASE("a type with overlapping entries can be sent and packed, but not received into") {
  const std::array<int, 2> lengths{2, 2};
  const std::array<int, 2> steps{0, 1};
  CHECK_THAT(message_of([&](MPI_Datatype* type) {
               std::array<int, 3> data{1, 2, 3};
               std::array<int, 4> got{};
               MPI_Type_indexed(2, lengths.data(), steps.data(), MPI_INT, type);
               MPI_Type_commit(type);
               MPI_Sendrecv(data.data(), 1, *type, 0, 0, got.data(), 4, MPI_INT, 0, 0,
                            MPI_COMM_WORLD, MPI_STATUS_IGNORE);
               CHECK(got == std::array<int, 4>{1, 2, 2, 3});
               MPI_Recv(data.data(), 1, *type, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
             }),
             Catch::Contains("MPI_Recv: argument datatype has entries that lie over each other"));
  // One element may be all right where several are not.
  CHECK_THAT(message_of([&](MPI_Datatype* type) {
               std::array<int, 8> data{};
               MPI_Type_create_resized(MPI_INT, 0, 2, type);
               MPI_Type_commit(type);
               MPI_Recv(data.data(), 1, *type, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
               MPI_Bcast(data.data(), 1, *type, 0, MPI_COMM_WORLD);
               MPI_Recv(data.data(), 2, *type, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
             }),
             Catch::Contains("(in 2 elements)"));
}
