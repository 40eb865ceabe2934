// Chapter 17: handles, statuses and numbers of Fortran.
#include <array>
#include <set>
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

int size_of(MPI_Datatype type) {
  int size = 0;
  MPI_Type_size(type, &size);
  return size;
}

}  // namespace

TEST_CASE("predefined handles have the numbers of mpif.h, and come back from them") {
  as_one_rank([] {
    CHECK(MPI_Comm_c2f(MPI_COMM_WORLD) == 0);
    CHECK(MPI_Comm_c2f(MPI_COMM_SELF) == 1);
    CHECK(MPI_Comm_c2f(MPI_COMM_NULL) == 2);
    CHECK(MPI_Comm_f2c(1) == MPI_COMM_SELF);
    CHECK(MPI_Group_c2f(MPI_GROUP_EMPTY) == 1);
    CHECK(MPI_Group_f2c(0) == MPI_GROUP_NULL);
    CHECK(MPI_Errhandler_c2f(MPI_ERRORS_RETURN) == 2);
    CHECK(MPI_Errhandler_f2c(1) == MPI_ERRORS_ARE_FATAL);
    CHECK(MPI_File_c2f(MPI_FILE_NULL) == 0);
    CHECK(MPI_File_f2c(0) == MPI_FILE_NULL);
    CHECK(MPI_Info_c2f(MPI_INFO_ENV) == 1);
    CHECK(MPI_Info_f2c(0) == MPI_INFO_NULL);
    CHECK(MPI_Message_c2f(MPI_MESSAGE_NO_PROC) == 1);
    CHECK(MPI_Message_f2c(0) == MPI_MESSAGE_NULL);
    CHECK(MPI_Request_c2f(MPI_REQUEST_NULL) == 0);
    CHECK(MPI_Request_f2c(0) == MPI_REQUEST_NULL);
    CHECK(MPI_Win_c2f(MPI_WIN_NULL) == 0);
    CHECK(MPI_Win_f2c(0) == MPI_WIN_NULL);
    CHECK(MPI_Op_c2f(MPI_SUM) == 3);
    CHECK(MPI_Op_f2c(14) == MPI_NO_OP);
    CHECK(MPI_Type_c2f(MPI_INTEGER) == 7);
    CHECK(MPI_Type_c2f(MPI_DOUBLE_PRECISION) == 17);
    CHECK(MPI_Type_c2f(MPI_INT) == 39);
    CHECK(MPI_Type_c2f(MPI_COUNT) == 72);
    CHECK(MPI_Type_f2c(15) == MPI_REAL8);
    CHECK(MPI_Type_f2c(0) == MPI_DATATYPE_NULL);
    for (MPI_Fint number = 0; number < 73; ++number) {
      const MPI_Datatype type = MPI_Type_f2c(number);
      if (type != nullptr) CHECK(MPI_Type_c2f(type) == number);
    }
  });
}

TEST_CASE("what a program makes has a number of its own for as long as it lives") {
  as_one_rank([] {
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_SELF, &copy);
    const MPI_Fint number = MPI_Comm_c2f(copy);
    CHECK(number > 2);
    CHECK(MPI_Comm_c2f(copy) == number);
    CHECK(MPI_Comm_f2c(number) == copy);
    MPI_Comm_free(&copy);
    MPI_Datatype first = MPI_DATATYPE_NULL;
    MPI_Datatype second = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(2, MPI_INT, &first);
    MPI_Type_contiguous(2, MPI_INT, &second);
    CHECK(MPI_Type_c2f(first) != MPI_Type_c2f(second));
    CHECK(MPI_Type_f2c(MPI_Type_c2f(second)) == second);
    static int value = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Recv_init(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
    CHECK(MPI_Request_f2c(MPI_Request_c2f(request)) == request);
    MPI_Request_free(&request);
    // No handle: a number that is none, and back.
    CHECK(MPI_Type_c2f(nullptr) == -1);
    CHECK(MPI_Op_f2c(77) == nullptr);
    CHECK(MPI_Info_f2c(-5) == nullptr);
    int word = 0;
    CHECK(MPI_Comm_c2f(static_cast<MPI_Comm>(static_cast<void*>(&word))) == -1);
  });
}

TEST_CASE("statuses go to Fortran and come back") {
  as_one_rank([] {
    const int value = 5;
    int got = 0;
    MPI_Status status{};
    MPI_Sendrecv(&value, 1, MPI_INT, 0, 4, &got, 1, MPI_INT, 0, 4, MPI_COMM_WORLD, &status);
    std::array<MPI_Fint, sizeof(MPI_Status) / sizeof(MPI_Fint)> fortran{};
    CHECK(MPI_Status_c2f(&status, fortran.data()) == MPI_SUCCESS);
    CHECK((fortran[0] == 0 && fortran[1] == 4));
    MPI_Status back{};
    CHECK(MPI_Status_f2c(fortran.data(), &back) == MPI_SUCCESS);
    int count = 0;
    MPI_Get_count(&back, MPI_INT, &count);
    CHECK((back.MPI_TAG == 4 && count == 1));
    CHECK(MPI_F_STATUS_IGNORE != nullptr);
    CHECK(MPI_F_STATUSES_IGNORE != MPI_F_STATUS_IGNORE);
  });
  CHECK_THAT(message_of([] {
               MPI_Status status{};
               MPI_Status_f2c(MPI_F_STATUS_IGNORE, &status);
             }),
             Catch::Contains("argument f_status is MPI_F_STATUS_IGNORE"));
  CHECK_THAT(message_of([] {
               std::array<MPI_Fint, 6> fortran{};
               MPI_Status_c2f(MPI_STATUS_IGNORE, fortran.data());
             }),
             Catch::Contains("argument c_status is MPI_STATUS_IGNORE"));
}

TEST_CASE("types by precision and range are the same for the same arguments") {
  as_one_rank([] {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Datatype same = MPI_DATATYPE_NULL;
    CHECK(MPI_Type_create_f90_real(15, MPI_UNDEFINED, &type) == MPI_SUCCESS);
    CHECK(MPI_Type_create_f90_real(15, MPI_UNDEFINED, &same) == MPI_SUCCESS);
    CHECK(type == same);
    CHECK(size_of(type) == 8);
    MPI_Type_create_f90_real(6, 37, &same);
    CHECK(same != type);
    CHECK(size_of(same) == 4);
    MPI_Type_create_f90_real(16, 1, &same);
    CHECK(size_of(same) == 16);
    MPI_Type_create_f90_complex(MPI_UNDEFINED, 300, &same);
    CHECK(size_of(same) == 16);
    MPI_Type_create_f90_integer(5, &same);
    CHECK(size_of(same) == 4);
    MPI_Type_create_f90_integer(18, &same);
    CHECK(size_of(same) == 8);
    int integers = 0;
    int addresses = 0;
    int types = 0;
    int combiner = 0;
    CHECK(MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner) == MPI_SUCCESS);
    CHECK((integers == 2 && addresses == 0 && types == 0));
    CHECK(combiner == MPI_COMBINER_F90_REAL);
    std::array<int, 2> arguments{};
    MPI_Type_get_contents(type, 2, 0, 0, arguments.data(), nullptr, nullptr);
    CHECK((arguments[0] == 15 && arguments[1] == MPI_UNDEFINED));
    // They are committed, and what is predefined for numbers works on them.
    const double value = 2.5;
    double sum = 0;
    MPI_Allreduce(&value, &sum, 1, type, MPI_SUM, MPI_COMM_WORLD);
    CHECK(sum == 2.5);
    // A type made of it gives the same handle as its part.
    MPI_Datatype pair = MPI_DATATYPE_NULL;
    MPI_Datatype part = MPI_DATATYPE_NULL;
    int count = 0;
    MPI_Type_contiguous(2, type, &pair);
    MPI_Type_get_contents(pair, 1, 0, 1, &count, nullptr, &part);
    CHECK(part == type);
  });
  CHECK_THAT(message_of([] {
               MPI_Datatype type = MPI_DATATYPE_NULL;
               MPI_Type_create_f90_real(99, 10, &type);
             }),
             Catch::Contains("no number of Fortran has 99 decimal digits"));
  CHECK_THAT(message_of([] {
               MPI_Datatype type = MPI_DATATYPE_NULL;
               MPI_Type_create_f90_integer(30, &type);
             }),
             Catch::Contains("no integer of Fortran has a range of 30"));
  CHECK_THAT(message_of([] {
               MPI_Datatype type = MPI_DATATYPE_NULL;
               MPI_Type_create_f90_complex(MPI_UNDEFINED, MPI_UNDEFINED, &type);
             }),
             Catch::Contains("both MPI_UNDEFINED"));
  CHECK_THAT(message_of([] {
               MPI_Datatype type = MPI_DATATYPE_NULL;
               MPI_Type_create_f90_integer(3, &type);
               MPI_Type_free(&type);
             }),
             Catch::Contains("a predefined type cannot be freed"));
}

TEST_CASE("MPI_Type_match_size finds a predefined type") {
  as_one_rank([] {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    CHECK(MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, &type) == MPI_SUCCESS);
    CHECK(type == MPI_REAL8);
    CHECK(MPI_Type_match_size(MPI_TYPECLASS_INTEGER, 2, &type) == MPI_SUCCESS);
    CHECK(type == MPI_INTEGER2);
    CHECK(MPI_Type_match_size(MPI_TYPECLASS_COMPLEX, 32, &type) == MPI_SUCCESS);
    CHECK(type == MPI_COMPLEX32);
  });
  CHECK_THAT(message_of([] {
               MPI_Datatype type = MPI_DATATYPE_NULL;
               MPI_Type_match_size(MPI_TYPECLASS_REAL, 3, &type);
             }),
             Catch::Contains("there is no type of 3 bytes"));
}

TEST_CASE("the types of Fortran reduce as section 5.9.2 says, and match no type of C") {
  const auto outcome = fake::run(2, [](int rank) {
    const int number = rank + 1;
    int result = 0;
    MPI_Allreduce(&number, &result, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD);
    CHECK(result == 3);
    const int truth = rank;
    MPI_Allreduce(&truth, &result, 1, MPI_LOGICAL, MPI_LOR, MPI_COMM_WORLD);
    CHECK(result == 1);
    const std::array<float, 2> located{static_cast<float>(-rank), static_cast<float>(rank + 7)};
    std::array<float, 2> best{};
    MPI_Allreduce(located.data(), best.data(), 1, MPI_2REAL, MPI_MINLOC, MPI_COMM_WORLD);
    CHECK(best == std::array<float, 2>{-1, 8});
    const std::array<double, 2> complex_number{1, 2};
    std::array<double, 2> product{};
    MPI_Allreduce(complex_number.data(), product.data(), 1, MPI_DOUBLE_COMPLEX, MPI_PROD,
                  MPI_COMM_WORLD);
    CHECK(product == std::array<double, 2>{-3, 4});
    if (rank == 0) MPI_Send(&number, 1, MPI_INTEGER, 1, 0, MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv(&result, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  });
  CHECK_THAT(outcome.message, Catch::Contains("was sent as 1 elements of MPI_INTEGER and is "
                                              "received as MPI_INT"));
}
