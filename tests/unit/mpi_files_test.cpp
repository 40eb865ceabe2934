// Chapter 13 of MPI 3.1: opening files, what is known of them, views, individual pointers.
#include "mpi_files.hpp"

#include <array>
#include <numeric>
#include <string>
#include <vector>

using namespace mpi_files;

TEST_CASE("A file is opened by all ranks, described, and closed") {
  const Files files;
  CHECK(Files::run(3, [&](int rank) {
          MPI_File file = open(files.path("a"), read_write | MPI_MODE_EXCL);
          int mode = 0;
          check(MPI_File_get_amode(file, &mode) == MPI_SUCCESS);
          check(mode == (read_write | MPI_MODE_EXCL));
          MPI_Offset size = -1;
          check(MPI_File_get_size(file, &size) == MPI_SUCCESS && size == 0);
          check(MPI_File_preallocate(file, 100) == MPI_SUCCESS);
          check(MPI_File_get_size(file, &size) == MPI_SUCCESS && size == 100);
          check(MPI_File_preallocate(file, 10) == MPI_SUCCESS);
          check(MPI_File_get_size(file, &size) == MPI_SUCCESS && size == 100);
          check(MPI_File_set_size(file, 7) == MPI_SUCCESS);
          check(MPI_File_get_size(file, &size) == MPI_SUCCESS && size == 7);
          check(MPI_File_set_size(file, rank) == MPI_ERR_NOT_SAME);
          int flag = -1;
          check(MPI_File_get_atomicity(file, &flag) == MPI_SUCCESS && flag == 0);
          check(MPI_File_set_atomicity(file, 1) == MPI_SUCCESS);
          check(MPI_File_get_atomicity(file, &flag) == MPI_SUCCESS && flag == 1);
          check(MPI_File_sync(file) == MPI_SUCCESS);
          MPI_Group group = MPI_GROUP_NULL;
          check(MPI_File_get_group(file, &group) == MPI_SUCCESS && group != MPI_GROUP_NULL);
          check(MPI_File_set_info(file, MPI_INFO_NULL) == MPI_SUCCESS);
          MPI_Info info = MPI_INFO_NULL;
          check(MPI_File_get_info(file, &info) == MPI_SUCCESS && info != MPI_INFO_NULL);
          check(MPI_Group_free(&group) == MPI_SUCCESS && MPI_Info_free(&info) == MPI_SUCCESS);
          close(file);
          check(MPI_File_close(&file) == MPI_ERR_FILE);
        }) == "");
  CHECK(files.read("a").size() == 7);
}

TEST_CASE("Access modes that contradict themselves, and files that cannot be opened, are errors") {
  const Files files;
  files.write("there", "text");
  CHECK(
      Files::run(2, [&](int rank) {
        const auto fails = [&](const std::string& name, int mode) {
          MPI_File file = MPI_FILE_NULL;
          return MPI_File_open(MPI_COMM_WORLD, files.path(name).c_str(), mode, MPI_INFO_NULL,
                               &file);
        };
        check(fails("there", 0) == MPI_ERR_AMODE);
        check(fails("there", MPI_MODE_RDONLY | MPI_MODE_RDWR) == MPI_ERR_AMODE);
        check(fails("there", MPI_MODE_RDONLY | MPI_MODE_CREATE) == MPI_ERR_AMODE);
        check(fails("there", MPI_MODE_RDONLY | MPI_MODE_EXCL) == MPI_ERR_AMODE);
        check(fails("there", MPI_MODE_RDWR | MPI_MODE_SEQUENTIAL) == MPI_ERR_AMODE);
        check(fails("there", MPI_MODE_RDONLY | 4096) == MPI_ERR_AMODE);
        check(fails("there", rank == 0 ? MPI_MODE_RDONLY : MPI_MODE_WRONLY) == MPI_ERR_NOT_SAME);
        check(fails("there", read_write | MPI_MODE_EXCL) == MPI_ERR_FILE_EXISTS);
        check(fails("absent", MPI_MODE_RDONLY) == MPI_ERR_NO_SUCH_FILE);
        check(fails("there/below", MPI_MODE_RDONLY) == MPI_ERR_BAD_FILE);
        check(fails(".", MPI_MODE_RDONLY) == MPI_ERR_BAD_FILE);
        check(MPI_File_delete(files.path("absent").c_str(), MPI_INFO_NULL) == MPI_ERR_NO_SUCH_FILE);
        MPI_File file = open(files.path("there"), MPI_MODE_RDONLY);
        char text[4] = "";
        check(MPI_File_write(file, text, 1, MPI_CHAR, MPI_STATUS_IGNORE) == MPI_ERR_READ_ONLY);
        check(MPI_File_set_size(file, 1) == MPI_ERR_READ_ONLY);
        close(file);
        file = open(files.path("there"), MPI_MODE_WRONLY);
        check(MPI_File_read(file, text, 1, MPI_CHAR, MPI_STATUS_IGNORE) == MPI_ERR_ACCESS);
        check(MPI_File_write(file, text, -1, MPI_CHAR, MPI_STATUS_IGNORE) == MPI_ERR_COUNT);
        check(MPI_File_write(file, nullptr, 1, MPI_CHAR, MPI_STATUS_IGNORE) == MPI_ERR_BUFFER);
        check(MPI_File_write(file, text, 1, MPI_DATATYPE_NULL, MPI_STATUS_IGNORE) == MPI_ERR_TYPE);
        check(MPI_File_write_at(file, -1, text, 1, MPI_CHAR, MPI_STATUS_IGNORE) == MPI_ERR_ARG);
        close(file);
        check(MPI_File_read(MPI_FILE_NULL, text, 1, MPI_CHAR, MPI_STATUS_IGNORE) == MPI_ERR_FILE);
      }) == "");
  CHECK(files.read("there") == "text");
}

TEST_CASE("Files are deleted by name and when they are closed") {
  const Files files;
  files.write("by_name", "");
  CHECK(Files::run(2, [&](int rank) {
          MPI_File file = open(files.path("closed"), read_write | MPI_MODE_DELETE_ON_CLOSE);
          check(files.has("closed"));
          close(file);
          check(!files.has("closed"));
          if (rank == 0)
            check(MPI_File_delete(files.path("by_name").c_str(), MPI_INFO_NULL) == MPI_SUCCESS);
        }) == "");
  CHECK(!files.has("by_name"));
}

TEST_CASE("Data go to explicit offsets and to the place of the file pointer") {
  const Files files;
  CHECK(Files::run(3, [&](int rank) {
          MPI_File file = open(files.path("a"), read_write);
          const std::array<int, 2> mine = {rank, 10 * rank};
          const auto offset = static_cast<MPI_Offset>(rank * sizeof mine);
          MPI_Status status;
          check(MPI_File_write_at(file, offset, mine.data(), 2, MPI_INT, &status) == MPI_SUCCESS);
          check(count_in(status, MPI_INT) == 2);
          MPI_Barrier(MPI_COMM_WORLD);
          std::array<int, 8> all{};
          check(MPI_File_read_at_all(file, 0, all.data(), 8, MPI_INT, &status) == MPI_SUCCESS);
          check(count_in(status, MPI_INT) == 6);  // up to the end of the file
          check(all == std::array<int, 8>{0, 0, 1, 10, 2, 20, 0, 0});
          check(MPI_File_seek(file, 8, MPI_SEEK_SET) == MPI_SUCCESS);
          int value = -1;
          check(MPI_File_read(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE) == MPI_SUCCESS);
          check(value == 1);
          check(MPI_File_read_all(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE) == MPI_SUCCESS);
          check(value == 10);
          MPI_Offset position = -1;
          check(MPI_File_get_position(file, &position) == MPI_SUCCESS && position == 16);
          check(MPI_File_seek(file, -4, MPI_SEEK_CUR) == MPI_SUCCESS);
          check(MPI_File_get_position(file, &position) == MPI_SUCCESS && position == 12);
          check(MPI_File_seek(file, -4, MPI_SEEK_END) == MPI_SUCCESS);
          check(MPI_File_read(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE) == MPI_SUCCESS);
          check(value == 20);
          MPI_Barrier(MPI_COMM_WORLD);
          check(MPI_File_seek(file, -30, MPI_SEEK_SET) == MPI_ERR_ARG);
          check(MPI_File_seek(file, 0, 77) == MPI_ERR_ARG);
          check(MPI_File_seek(file, 24 + rank, MPI_SEEK_SET) == MPI_SUCCESS);
          const char letter = static_cast<char>('a' + rank);
          check(MPI_File_write_all(file, &letter, 1, MPI_CHAR, MPI_STATUS_IGNORE) == MPI_SUCCESS);
          check(MPI_File_write(file, nullptr, 0, MPI_CHAR, &status) == MPI_SUCCESS);
          check(count_in(status, MPI_CHAR) == 0);
          check(MPI_File_write_at_all(file, 27 + rank, &letter, 1, MPI_CHAR, &status) ==
                MPI_SUCCESS);
          check(MPI_File_read_at(file, 24 + rank, &value, 1, MPI_CHAR, &status) == MPI_SUCCESS);
          close(file);
        }) == "");
  CHECK(files.read("a") == as_text({0, 0, 1, 10, 2, 20}) + "abcabc");
}

TEST_CASE("A file that is opened to be appended to has its pointers at the end") {
  const Files files;
  files.write("a", "12345678");
  CHECK(Files::run(2, [&](int rank) {
          MPI_File file = open(files.path("a"), MPI_MODE_WRONLY | MPI_MODE_APPEND);
          MPI_Offset position = -1;
          check(MPI_File_get_position(file, &position) == MPI_SUCCESS && position == 8);
          check(MPI_File_get_position_shared(file, &position) == MPI_SUCCESS && position == 8);
          const char text = static_cast<char>('a' + rank);
          check(MPI_File_write_ordered(file, &text, 1, MPI_CHAR, MPI_STATUS_IGNORE) == MPI_SUCCESS);
          close(file);
        }) == "");
  CHECK(files.read("a") == "12345678ab");
}

TEST_CASE("A view shows each rank its part of a file, with holes where the others' lie") {
  const Files files;
  CHECK(Files::run(3, [&](int rank) {
          MPI_File file = open(files.path("a"), read_write);
          // Pairs of ints, dealt to the ranks in turn.
          MPI_Datatype pair = MPI_DATATYPE_NULL;
          MPI_Type_contiguous(2, MPI_INT, &pair);
          MPI_Type_commit(&pair);
          MPI_Datatype tile = MPI_DATATYPE_NULL;
          MPI_Type_create_resized(pair, 0, 24, &tile);
          MPI_Type_commit(&tile);
          check(MPI_File_set_view(file, 4 + 8 * rank, MPI_INT, tile, "native", MPI_INFO_NULL) ==
                MPI_SUCCESS);
          MPI_Offset displacement = -1;
          MPI_Datatype element = MPI_DATATYPE_NULL;
          MPI_Datatype file_type = MPI_DATATYPE_NULL;
          char representation[MPI_MAX_DATAREP_STRING];
          check(MPI_File_get_view(file, &displacement, &element, &file_type, representation) ==
                MPI_SUCCESS);
          check(displacement == 4 + 8 * rank && element == MPI_INT);
          check(std::string(representation) == "native");
          MPI_Aint lower = -1;
          MPI_Aint extent = -1;
          MPI_Type_get_extent(file_type, &lower, &extent);
          check(lower == 0 && extent == 24);
          MPI_Type_free(&file_type);
          check(MPI_File_get_type_extent(file, tile, &extent) == MPI_SUCCESS && extent == 24);
          MPI_Type_free(&tile);  // the view still has it
          std::vector<int> mine(5);
          std::iota(mine.begin(), mine.end(), 100 * (rank + 1));
          check(MPI_File_write(file, mine.data(), 5, MPI_INT, MPI_STATUS_IGNORE) == MPI_SUCCESS);
          MPI_Offset offset = -1;
          check(MPI_File_get_byte_offset(file, 3, &offset) == MPI_SUCCESS);
          check(offset == 4 + 8 * rank + 24 + 4);
          MPI_Barrier(MPI_COMM_WORLD);
          check(MPI_File_seek(file, -1, MPI_SEEK_END) == MPI_SUCCESS);
          MPI_Offset position = -1;
          // The end of the file is the last rank's; the others' last pair has a hole there.
          check(MPI_File_get_position(file, &position) == MPI_SUCCESS);
          check(position == (rank == 2 ? 4 : 5));
          int value = 0;
          check(MPI_File_read_at(file, 3, &value, 1, MPI_INT, MPI_STATUS_IGNORE) == MPI_SUCCESS);
          check(value == 100 * (rank + 1) + 3);
          check(MPI_File_write(file, mine.data(), 3, MPI_CHAR, MPI_STATUS_IGNORE) == MPI_ERR_IO);
          MPI_Type_free(&pair);
          close(file);
        }) == "");
  const std::string expected =
      as_text({0, 100, 101, 200, 201, 300, 301, 102, 103, 202, 203, 302, 303, 104, 0, 204, 0, 304});
  CHECK(files.read("a") == expected);
}

TEST_CASE("Data with gaps in memory are read and written as well") {
  const Files files;
  CHECK(Files::run(1, [&](int) {
          MPI_File file = open(files.path("a"), read_write);
          MPI_Datatype every_other = MPI_DATATYPE_NULL;
          MPI_Type_vector(3, 1, 2, MPI_INT, &every_other);
          MPI_Type_commit(&every_other);
          const std::array<int, 5> out = {1, 2, 3, 4, 5};
          check(MPI_File_write(file, out.data(), 1, every_other, MPI_STATUS_IGNORE) == MPI_SUCCESS);
          std::array<int, 5> in = {-1, -1, -1, -1, -1};
          check(MPI_File_read_at(file, 0, in.data(), 1, every_other, MPI_STATUS_IGNORE) ==
                MPI_SUCCESS);
          check(in == std::array<int, 5>{1, -1, 3, -1, 5});
          MPI_Type_free(&every_other);
          close(file);
        }) == "");
  CHECK(files.read("a") == as_text({1, 3, 5}));
}

TEST_CASE("In external32 the bytes are those of the standard") {
  const Files files;
  CHECK(Files::run(1, [&](int) {
          MPI_File file = open(files.path("a"), read_write);
          check(MPI_File_set_view(file, 2, MPI_LONG, MPI_LONG, "external32", MPI_INFO_NULL) ==
                MPI_SUCCESS);
          MPI_Aint extent = 0;
          check(MPI_File_get_type_extent(file, MPI_LONG, &extent) == MPI_SUCCESS && extent == 4);
          const std::array<long, 2> out = {258, -1};
          MPI_Status status;
          check(MPI_File_write(file, out.data(), 2, MPI_LONG, &status) == MPI_SUCCESS);
          check(count_in(status, MPI_LONG) == 2);
          std::array<long, 3> in = {0, 0, 7};
          check(MPI_File_read_at(file, 0, in.data(), 3, MPI_LONG, &status) == MPI_SUCCESS);
          check(count_in(status, MPI_LONG) == 2);
          check(in == std::array<long, 3>{258, -1, 7});
          MPI_Offset place = 0;
          check(MPI_File_get_byte_offset(file, 1, &place) == MPI_SUCCESS && place == 6);
          close(file);
        }) == "");
  CHECK(files.read("a") == std::string("\0\0\0\0\1\2\377\377\377\377", 10));
}

TEST_CASE("Views that no file can have are errors") {
  const Files files;
  CHECK(Files::run(2, [&](int rank) {
          MPI_File file = open(files.path("a"), read_write);
          const auto set = [&](MPI_Offset displacement, MPI_Datatype element, MPI_Datatype tile,
                               const char* representation) {
            return MPI_File_set_view(file, displacement, element, tile, representation,
                                     MPI_INFO_NULL);
          };
          check(set(-1, MPI_INT, MPI_INT, "native") == MPI_ERR_ARG);
          check(set(MPI_DISPLACEMENT_CURRENT, MPI_INT, MPI_INT, "native") == MPI_ERR_ARG);
          check(set(0, MPI_INT, MPI_INT, "mine") == MPI_ERR_UNSUPPORTED_DATAREP);
          check(set(0, MPI_INT, MPI_SHORT, "native") == MPI_ERR_ARG);
          check(set(0, MPI_DATATYPE_NULL, MPI_INT, "native") == MPI_ERR_TYPE);
          check(set(0, rank == 0 ? MPI_INT : MPI_DOUBLE, MPI_DOUBLE, "native") == MPI_ERR_NOT_SAME);
          const std::array<int, 2> lengths = {1, 1};
          const std::array<int, 2> backwards = {1, 0};
          MPI_Datatype tile = MPI_DATATYPE_NULL;
          MPI_Type_indexed(2, lengths.data(), backwards.data(), MPI_INT, &tile);
          check(set(0, MPI_INT, tile, "native") == MPI_ERR_TYPE);  // not committed
          MPI_Type_commit(&tile);
          check(set(0, MPI_INT, tile, "native") == MPI_ERR_ARG);
          MPI_Type_free(&tile);
          MPI_Type_create_resized(MPI_INT, 0, 2, &tile);
          MPI_Type_commit(&tile);
          check(set(0, MPI_INT, tile, "native") == MPI_ERR_ARG);
          MPI_Type_free(&tile);
          check(MPI_Register_datarep("native", nullptr, nullptr, nullptr, nullptr) ==
                MPI_ERR_DUP_DATAREP);
          check(MPI_Register_datarep("mine", nullptr, nullptr, nullptr, nullptr) ==
                MPI_ERR_UNSUPPORTED_DATAREP);
          close(file);
        }) == "");
}
