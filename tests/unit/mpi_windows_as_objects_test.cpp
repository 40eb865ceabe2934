// What windows have in common with communicators: names, attributes, error handlers; and memory of
// the library's.
#include <array>
#include <cstring>
#include <string>

#include <catch2/catch.hpp>

#include "unit/mpi_machine.hpp"

namespace {

int deleted = 0;

int copy_twice(MPI_Win, int, void*, void* value, void* copied, int* flag) {
  std::memcpy(copied, &value, sizeof value);
  *flag = 1;
  return MPI_SUCCESS;
}

int count_deletion(MPI_Win, int, void*, void*) {
  ++deleted;
  return MPI_SUCCESS;
}

int last_error = MPI_SUCCESS;

void keep_error(MPI_Win*, int* error, ...) {
  last_error = *error;
}

}  // namespace

TEST_CASE("windows have names, and attributes until they are freed") {
  deleted = 0;
  const auto outcome = mpi_machine::run({1}, [](int) {
    int memory = 0;
    MPI_Win win = MPI_WIN_NULL;
    MPI_Win_create(&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    std::array<char, MPI_MAX_OBJECT_NAME> name{};
    int length = -1;
    CHECK(MPI_Win_get_name(win, name.data(), &length) == MPI_SUCCESS);
    CHECK(length == static_cast<int>(std::strlen(name.data())));
    CHECK(MPI_Win_set_name(win, "shelves") == MPI_SUCCESS);
    CHECK(MPI_Win_get_name(win, name.data(), &length) == MPI_SUCCESS);
    CHECK(std::string(name.data()) == "shelves");
    CHECK(length == 7);

    int key = MPI_KEYVAL_INVALID, value = 5, flag = 0;
    CHECK(MPI_Win_create_keyval(copy_twice, count_deletion, &key, nullptr) == MPI_SUCCESS);
    int* got = nullptr;
    CHECK(MPI_Win_get_attr(win, key, &got, &flag) == MPI_SUCCESS);
    CHECK(flag == 0);
    CHECK(MPI_Win_set_attr(win, key, &value) == MPI_SUCCESS);
    CHECK(MPI_Win_get_attr(win, key, &got, &flag) == MPI_SUCCESS);
    CHECK((flag != 0 && got == &value));
    CHECK(MPI_Win_delete_attr(win, key) == MPI_SUCCESS);
    CHECK(deleted == 1);
    CHECK(MPI_Win_set_attr(win, key, &value) == MPI_SUCCESS);
    MPI_Aint* size = nullptr;
    CHECK(MPI_Win_get_attr(win, MPI_WIN_SIZE, &size, &flag) == MPI_SUCCESS);
    CHECK((flag != 0 && *size == sizeof memory));
    CHECK(MPI_Win_free(&win) == MPI_SUCCESS);
    CHECK(deleted == 2);
    CHECK(MPI_Win_free_keyval(&key) == MPI_SUCCESS);
    CHECK(key == MPI_KEYVAL_INVALID);
  });
  CHECK(outcome.findings.empty());
}

TEST_CASE(
    "a window's error handler is told of its errors, and of those that a program calls it with") {
  last_error = MPI_SUCCESS;
  const auto outcome = mpi_machine::run({1}, [](int) {
    int memory = 0;
    MPI_Win win = MPI_WIN_NULL;
    MPI_Win_create(&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL, got = MPI_ERRHANDLER_NULL;
    CHECK(MPI_Win_get_errhandler(win, &got) == MPI_SUCCESS);
    CHECK(got == MPI_ERRORS_ARE_FATAL);
    CHECK(MPI_Win_create_errhandler(keep_error, &handler) == MPI_SUCCESS);
    CHECK(MPI_Win_set_errhandler(win, handler) == MPI_SUCCESS);
    CHECK(MPI_Win_call_errhandler(win, MPI_ERR_OTHER) == MPI_SUCCESS);
    CHECK(last_error == MPI_ERR_OTHER);
    int error_class = 0;
    MPI_Error_class(MPI_Put(&memory, 1, MPI_INT, 9, 0, 1, MPI_INT, win), &error_class);
    CHECK(error_class == MPI_ERR_RANK);
    MPI_Error_class(last_error, &error_class);
    CHECK(error_class == MPI_ERR_RANK);
    MPI_Errhandler_free(&handler);
    MPI_Win_free(&win);
  });
  CHECK(outcome.findings.empty());
}

TEST_CASE(
    "memory of the library's can be written to, is another block each time, and is given back") {
  const auto outcome = mpi_machine::run({2}, [](int rank) {
    constexpr MPI_Aint bytes = 100'000;
    unsigned char *first = nullptr, *second = nullptr;
    CHECK(MPI_Alloc_mem(bytes, MPI_INFO_NULL, &first) == MPI_SUCCESS);
    CHECK(MPI_Alloc_mem(bytes, MPI_INFO_NULL, &second) == MPI_SUCCESS);
    REQUIRE((first != nullptr && second != nullptr && first != second));
    std::memset(first, rank + 1, bytes);
    std::memset(second, rank + 3, bytes);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK((first[0] == rank + 1 && first[bytes - 1] == rank + 1 && second[0] == rank + 3));
    CHECK(MPI_Free_mem(first) == MPI_SUCCESS);
    CHECK(MPI_Free_mem(second) == MPI_SUCCESS);
  });
  CHECK(outcome.findings.empty());
}
