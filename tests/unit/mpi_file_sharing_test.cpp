// Chapter 13 of MPI 3.1: shared file pointers, and operations beside the program.
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "mpi_files.hpp"

using namespace mpi_files;

TEST_CASE("The shared file pointer gives each call its own place, in every order") {
  const Files files;
  bool other_order = false;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    files.write("a", "");
    INFO("seed " << seed);
    CHECK(Files::run(
              3,
              [&](int rank) {
                MPI_File file = open(files.path("a"), MPI_MODE_RDWR);
                const std::array<char, 2> text = {static_cast<char>('a' + rank),
                                                  static_cast<char>('A' + rank)};
                MPI_Request request = MPI_REQUEST_NULL;
                check(MPI_File_write_shared(file, text.data(), 2, MPI_CHAR, MPI_STATUS_IGNORE) ==
                      MPI_SUCCESS);
                check(MPI_File_iwrite_shared(file, text.data(), 2, MPI_CHAR, &request) ==
                      MPI_SUCCESS);
                MPI_Wait(&request, MPI_STATUS_IGNORE);
                MPI_Barrier(MPI_COMM_WORLD);
                MPI_Offset position = 0;
                check(MPI_File_get_position_shared(file, &position) == MPI_SUCCESS);
                check(position == 12);
                MPI_Barrier(MPI_COMM_WORLD);
                check(MPI_File_seek_shared(file, -2, MPI_SEEK_END) == MPI_SUCCESS);
                check(MPI_File_seek_shared(file, rank, MPI_SEEK_SET) == MPI_ERR_NOT_SAME);
                char in = '-';
                MPI_Status status;
                check(MPI_File_read_shared(file, &in, 1, MPI_CHAR, MPI_STATUS_IGNORE) ==
                      MPI_SUCCESS);
                check(MPI_File_iread_shared(file, &in, 1, MPI_CHAR, &request) == MPI_SUCCESS);
                MPI_Wait(&request, &status);
                close(file);
              },
              seed) == "");
    const std::string text = files.read("a");
    REQUIRE(text.size() == 12);
    for (const char* pair : {"aA", "bB", "cC"}) CHECK(text.find(pair) % 2 == 0);
    other_order = other_order || text.substr(0, 2) != "aA";
  }
  CHECK(other_order);
}

TEST_CASE("Ordered calls go to the file in the order of the ranks") {
  const Files files;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    files.write("a", "");
    CHECK(
        Files::run(
            4,
            [&](int rank) {
              MPI_File file = open(files.path("a"), MPI_MODE_RDWR);
              const std::string text(static_cast<std::size_t>(rank), static_cast<char>('0' + rank));
              check(MPI_File_write_ordered(file, text.data(), rank, MPI_CHAR, MPI_STATUS_IGNORE) ==
                    MPI_SUCCESS);
              check(MPI_File_write_ordered_begin(file, text.data(), rank, MPI_CHAR) == MPI_SUCCESS);
              check(MPI_File_write_ordered_end(file, text.data(), MPI_STATUS_IGNORE) ==
                    MPI_SUCCESS);
              check(MPI_File_seek_shared(file, 0, MPI_SEEK_SET) == MPI_SUCCESS);
              std::string in(static_cast<std::size_t>(rank), '-');
              check(MPI_File_read_ordered(file, in.data(), rank, MPI_CHAR, MPI_STATUS_IGNORE) ==
                    MPI_SUCCESS);
              check(in == text);
              check(MPI_File_read_ordered_begin(file, in.data(), rank, MPI_CHAR) == MPI_SUCCESS);
              MPI_Status status;
              check(MPI_File_read_ordered_end(file, in.data(), &status) == MPI_SUCCESS);
              check(in == text && count_in(status, MPI_CHAR) == rank);
              close(file);
            },
            seed) == "");
    CHECK(files.read("a") == "122333122333");
  }
}

TEST_CASE("Non-blocking calls are complete when their requests are") {
  const Files files;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    CHECK(Files::run(
              2,
              [&](int rank) {
                MPI_File file = open(files.path("a"), read_write);
                const MPI_Offset offset = 16 * rank;
                const std::array<int, 4> out = {rank, rank + 10, rank + 20, rank + 30};
                std::array<MPI_Request, 4> requests{};
                MPI_File_seek(file, offset, MPI_SEEK_SET);
                check(MPI_File_iwrite(file, &out[0], 1, MPI_INT, &requests[0]) == MPI_SUCCESS);
                check(MPI_File_iwrite_at(file, offset + 4, &out[1], 1, MPI_INT, &requests[1]) ==
                      MPI_SUCCESS);
                check(MPI_File_iwrite_at_all(file, offset + 8, &out[2], 1, MPI_INT, &requests[2]) ==
                      MPI_SUCCESS);
                MPI_File_seek(file, offset + 12, MPI_SEEK_SET);
                check(MPI_File_iwrite_all(file, &out[3], 1, MPI_INT, &requests[3]) == MPI_SUCCESS);
                std::array<MPI_Status, 4> statuses{};
                MPI_Waitall(4, requests.data(), statuses.data());
                for (const MPI_Status& status : statuses) check(count_in(status, MPI_INT) == 1);
                std::array<int, 4> in{};
                MPI_File_seek(file, offset, MPI_SEEK_SET);
                check(MPI_File_iread(file, &in[0], 1, MPI_INT, &requests[0]) == MPI_SUCCESS);
                check(MPI_File_iread_all(file, &in[1], 1, MPI_INT, &requests[1]) == MPI_SUCCESS);
                check(MPI_File_iread_at(file, offset + 8, &in[2], 1, MPI_INT, &requests[2]) ==
                      MPI_SUCCESS);
                check(MPI_File_iread_at_all(file, offset + 12, &in[3], 1, MPI_INT, &requests[3]) ==
                      MPI_SUCCESS);
                int flag = 0;
                while (flag == 0) MPI_Testall(4, requests.data(), &flag, MPI_STATUSES_IGNORE);
                check(in == out);
                close(file);
              },
              seed) == "");
  }
}

TEST_CASE("A split collective begins and ends once, with the same buffer") {
  const Files files;
  CHECK(Files::run(2, [&](int rank) {
          MPI_File file = open(files.path("a"), read_write);
          int value = rank + 1;
          int other = 0;
          check(MPI_File_write_all_end(file, &value, MPI_STATUS_IGNORE) == MPI_ERR_OTHER);
          MPI_File_seek(file, 4 * rank, MPI_SEEK_SET);
          check(MPI_File_write_all_begin(file, &value, 1, MPI_INT) == MPI_SUCCESS);
          check(MPI_File_write_all(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE) == MPI_ERR_OTHER);
          check(MPI_File_write_at_all_end(file, &value, MPI_STATUS_IGNORE) == MPI_ERR_OTHER);
          check(MPI_File_write_all_end(file, &other, MPI_STATUS_IGNORE) == MPI_ERR_BUFFER);
          check(MPI_File_write_all_end(file, &value, MPI_STATUS_IGNORE) == MPI_SUCCESS);
          check(MPI_File_write_at_all_begin(file, 8 + 4 * rank, &value, 1, MPI_INT) == MPI_SUCCESS);
          check(MPI_File_write_at_all_end(file, &value, MPI_STATUS_IGNORE) == MPI_SUCCESS);
          MPI_File_seek(file, 4 * rank, MPI_SEEK_SET);
          check(MPI_File_read_all_begin(file, &other, 1, MPI_INT) == MPI_SUCCESS);
          check(MPI_File_read_all_end(file, &other, MPI_STATUS_IGNORE) == MPI_SUCCESS);
          check(other == value);
          other = 0;
          check(MPI_File_read_at_all_begin(file, 8 + 4 * rank, &other, 1, MPI_INT) == MPI_SUCCESS);
          MPI_Status status;
          check(MPI_File_read_at_all_end(file, &other, &status) == MPI_SUCCESS);
          check(other == value && count_in(status, MPI_INT) == 1);
          close(file);
        }) == "");
}

TEST_CASE("A file that is opened sequentially has its shared pointer only") {
  const Files files;
  CHECK(
      Files::run(1, [&](int) {
        MPI_File file =
            open(files.path("a"), MPI_MODE_WRONLY | MPI_MODE_CREATE | MPI_MODE_SEQUENTIAL);
        const char letter = 'x';
        check(MPI_File_write(file, &letter, 1, MPI_CHAR, MPI_STATUS_IGNORE) ==
              MPI_ERR_UNSUPPORTED_OPERATION);
        check(MPI_File_write_at(file, 0, &letter, 1, MPI_CHAR, MPI_STATUS_IGNORE) ==
              MPI_ERR_UNSUPPORTED_OPERATION);
        check(MPI_File_seek(file, 0, MPI_SEEK_SET) == MPI_ERR_UNSUPPORTED_OPERATION);
        check(MPI_File_write_shared(file, &letter, 1, MPI_CHAR, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        check(MPI_File_set_view(file, MPI_DISPLACEMENT_CURRENT, MPI_CHAR, MPI_CHAR, "internal",
                                MPI_INFO_NULL) == MPI_SUCCESS);
        check(MPI_File_write_shared(file, &letter, 1, MPI_CHAR, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        close(file);
      }) == "");
  CHECK(files.read("a") == "xx");
}

TEST_CASE("What is wrong with a file's calls as a whole ends the run") {
  const Files files;
  int value = 0;
  CHECK_THAT(Files::run(1,
                        [&](int) {
                          MPI_File file = open(files.path("a"), read_write);
                          MPI_Request request = MPI_REQUEST_NULL;
                          MPI_File_iwrite(file, &value, 1, MPI_INT, &request);
                          MPI_File_close(&file);
                        }),
             Catch::Contains("1 operations on the file are still under way"));
  CHECK_THAT(Files::run(2,
                        [&](int rank) {
                          MPI_File file = open(files.path("a"), read_write);
                          if (rank == 0)
                            MPI_File_write_all(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
                          else
                            MPI_File_sync(file);
                          MPI_File_close(&file);
                        }),
             Catch::Contains("another function"));
}
