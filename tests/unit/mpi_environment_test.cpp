// Attributes, error handlers and codes, hints, memory and what is refused (MPI 3.1, chapters 6 and
// 8 to 15).
#include <array>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "mpi_fake_runtime.hpp"

namespace {

// What callbacks are called with, in order.  One rank at a time runs.
std::vector<std::string> calls;

int copy(MPI_Comm, int, void* extra, void* value, void* copied, int* flag) {
  calls.push_back("copy " + std::string(static_cast<const char*>(extra)));
  *static_cast<void**>(copied) = value;
  *flag = 1;
  return MPI_SUCCESS;
}

int remove_value(MPI_Comm, int, void*, void* extra) {
  calls.push_back("delete " + std::string(static_cast<const char*>(extra)));
  return MPI_SUCCESS;
}

int refuse_copy(MPI_Comm, int, void*, void*, void*, int*) {
  return MPI_ERR_OTHER;
}

int copy_of_type(MPI_Datatype, int, void*, void* value, void* copied, int* flag) {
  *static_cast<void**>(copied) = value;
  *flag = 1;
  return MPI_SUCCESS;
}

int handled_code = 0;
void note_error(MPI_Comm* comm, int* code, ...) {
  handled_code = *comm == MPI_COMM_WORLD ? *code : -1;
}

void ignore_window_error(MPI_Win*, int*, ...) {}
void ignore_file_error(MPI_File*, int*, ...) {}

template <std::size_t size>
void* extra(char (&text)[size]) {
  return text;
}

}  // namespace

TEST_CASE("attributes are copied to duplicates and deleted in reverse order") {
  calls.clear();
  static char first_name[] = "first";
  static char second_name[] = "second";
  const auto outcome = fake::run(1, [](int) {
    int first = 0;
    int second = 0;
    int third = 0;
    MPI_Comm_create_keyval(copy, remove_value, &first, extra(first_name));
    MPI_Keyval_create(copy, remove_value, &second, extra(second_name));
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &third, nullptr);
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    int value = 1;
    MPI_Comm_set_attr(comm, first, &value);
    MPI_Attr_put(comm, second, &value);
    MPI_Comm_set_attr(comm, third, &value);
    MPI_Comm twin;
    MPI_Comm_dup(comm, &twin);
    int* got = nullptr;
    int flag = 0;
    MPI_Comm_get_attr(twin, first, static_cast<void*>(&got), &flag);
    CHECK(flag == 1);
    CHECK(got == &value);
    MPI_Attr_get(twin, third, static_cast<void*>(&got), &flag);
    CHECK(flag == 0);
    MPI_Comm_set_attr(twin, first, nullptr);  // the old value is deleted
    MPI_Attr_delete(twin, second);
    MPI_Comm_delete_attr(twin, first);
    MPI_Comm_free_keyval(&first);
    CHECK(first == MPI_KEYVAL_INVALID);
    MPI_Keyval_free(&second);
    MPI_Comm_free(&comm);
    MPI_Comm_free(&twin);
  });
  CHECK(outcome.message == "");
  CHECK(calls == std::vector<std::string>{"copy first", "copy second", "delete first",
                                          "delete second", "delete first", "delete second",
                                          "delete first"});
}

TEST_CASE("a copy callback that fails fails the duplicate, and wrong keys give codes") {
  const auto outcome = fake::run(1, [](int) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int key = 0;
    MPI_Comm_create_keyval(refuse_copy, MPI_NULL_DELETE_FN, &key, nullptr);
    MPI_Comm_set_attr(MPI_COMM_WORLD, key, nullptr);
    MPI_Comm twin;
    CHECK(MPI_Comm_dup(MPI_COMM_WORLD, &twin) == MPI_ERR_OTHER);
    CHECK(twin == MPI_COMM_NULL);
    CHECK(MPI_Comm_set_attr(MPI_COMM_WORLD, MPI_TAG_UB, nullptr) == MPI_ERR_KEYVAL);
    CHECK(MPI_Comm_set_attr(MPI_COMM_WORLD, MPI_KEYVAL_INVALID, nullptr) == MPI_ERR_KEYVAL);
    CHECK(MPI_Type_set_attr(MPI_INT, key, nullptr) == MPI_ERR_KEYVAL);
    int kept = key;
    MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
    MPI_Comm_free_keyval(&key);
    CHECK(MPI_Comm_set_attr(MPI_COMM_WORLD, kept, nullptr) == MPI_ERR_KEYVAL);
    for (const int predefined :
         {MPI_TAG_UB, MPI_HOST, MPI_IO, MPI_WTIME_IS_GLOBAL, MPI_APPNUM, MPI_UNIVERSE_SIZE}) {
      int* value = nullptr;
      int flag = 0;
      MPI_Comm_get_attr(MPI_COMM_WORLD, predefined, static_cast<void*>(&value), &flag);
      CHECK(flag == 1);
    }
  });
  CHECK(outcome.message == "");
}

TEST_CASE("types have attributes and names, predefined ones too") {
  const auto outcome = fake::run(1, [](int) {
    int key = 0;
    MPI_Type_create_keyval(copy_of_type, MPI_TYPE_NULL_DELETE_FN, &key, nullptr);
    int value = 3;
    MPI_Datatype pair;
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_set_attr(pair, key, &value);
    MPI_Type_set_attr(MPI_INT, key, &value);
    MPI_Datatype twin;
    MPI_Type_dup(pair, &twin);
    int* got = nullptr;
    int flag = 0;
    MPI_Type_get_attr(twin, key, static_cast<void*>(&got), &flag);
    CHECK(flag == 1);
    CHECK(got == &value);
    MPI_Type_delete_attr(twin, key);
    MPI_Type_get_attr(twin, key, static_cast<void*>(&got), &flag);
    CHECK(flag == 0);
    MPI_Type_get_attr(MPI_INT, key, static_cast<void*>(&got), &flag);
    CHECK(flag == 1);
    MPI_Type_free_keyval(&key);
    char name[MPI_MAX_OBJECT_NAME];
    int length = -1;
    MPI_Type_get_name(pair, name, &length);
    CHECK(length == 0);
    MPI_Type_set_name(pair, "a pair");
    MPI_Type_get_name(pair, name, &length);
    CHECK(std::string(name) == "a pair");
    MPI_Type_get_name(MPI_INT, name, &length);
    CHECK(std::string(name) == "MPI_INT");
    MPI_Type_free(&pair);
    MPI_Type_free(&twin);
  });
  CHECK(outcome.message == "");
}

TEST_CASE("a program's error handler is called, and lives while an object has it") {
  handled_code = 0;
  const auto outcome = fake::run(1, [](int) {
    MPI_Errhandler handler;
    MPI_Comm_create_errhandler(note_error, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Errhandler_free(&handler);
    CHECK(handler == MPI_ERRHANDLER_NULL);
    int value = 0;
    CHECK(MPI_Send(&value, 1, MPI_INT, 9, 0, MPI_COMM_WORLD) == MPI_ERR_RANK);
    CHECK(handled_code == MPI_ERR_RANK);
    CHECK(MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_TAG) == MPI_SUCCESS);
    CHECK(handled_code == MPI_ERR_TAG);
    MPI_Errhandler got;
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &got);
    CHECK(got != MPI_ERRORS_RETURN);
    MPI_Errhandler_free(&got);
    // One for windows or files is not for communicators.
    MPI_Errhandler other;
    MPI_Win_create_errhandler(ignore_window_error, &other);
    CHECK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, other) == MPI_ERR_ARG);
    MPI_Errhandler_free(&other);
    MPI_File_create_errhandler(ignore_file_error, &other);
    CHECK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, other) == MPI_ERR_ARG);
    CHECK(MPI_File_set_errhandler(MPI_FILE_NULL, other) == MPI_SUCCESS);
    MPI_File_get_errhandler(MPI_FILE_NULL, &got);
    CHECK(got == other);
    CHECK(MPI_File_call_errhandler(MPI_FILE_NULL, MPI_ERR_IO) == MPI_SUCCESS);
  });
  CHECK(outcome.message == "");
}

TEST_CASE("programs add error classes, codes and texts") {
  const auto outcome = fake::run(1, [](int) {
    int own_class = 0;
    int code = 0;
    MPI_Add_error_class(&own_class);
    MPI_Add_error_code(own_class, &code);
    CHECK(own_class > MPI_ERR_LASTCODE);
    MPI_Add_error_string(code, "too many cooks");
    int found = 0;
    MPI_Error_class(code, &found);
    CHECK(found == own_class);
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    MPI_Error_string(code, text, &length);
    CHECK(std::string(text) == "too many cooks");
    MPI_Error_string(own_class, text, &length);
    CHECK(length == 0);
    int* last = nullptr;
    int flag = 0;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, static_cast<void*>(&last), &flag);
    CHECK(*last == code);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    CHECK(MPI_Error_class(code + 1, &found) == MPI_ERR_ARG);
    CHECK(MPI_Add_error_string(MPI_ERR_TAG, "x") == MPI_ERR_ARG);
    for (int known = MPI_SUCCESS; known <= MPI_ERR_WIN; ++known) {
      CHECK(MPI_Error_string(known, text, &length) == MPI_SUCCESS);
      CHECK(length > 0);
    }
  });
  CHECK(outcome.message == "");
}

TEST_CASE("hints keep the order of their keys and know their limits") {
  const auto outcome = fake::run(2, [](int) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "b", "1");
    MPI_Info_set(info, "a", "22");
    MPI_Info_set(info, "b", "333");
    int count = 0;
    MPI_Info_get_nkeys(info, &count);
    CHECK(count == 2);
    char key[MPI_MAX_INFO_KEY];
    MPI_Info_get_nthkey(info, 0, key);
    CHECK(std::string(key) == "b");
    int length = 0;
    int flag = 0;
    MPI_Info_get_valuelen(info, "b", &length, &flag);
    CHECK(length == 3);
    char value[4] = "";
    MPI_Info_get(info, "b", 2, value, &flag);
    CHECK(std::string(value) == "33");
    MPI_Info twin;
    MPI_Info_dup(info, &twin);
    MPI_Info_delete(twin, "b");
    CHECK(MPI_Info_delete(twin, "b") == MPI_ERR_INFO_NOKEY);
    CHECK(MPI_Info_set(twin, "", "x") == MPI_ERR_INFO_KEY);
    CHECK(MPI_Info_set(twin, "x", std::string(300, 'x').c_str()) == MPI_ERR_INFO_VALUE);
    CHECK(MPI_Info_get_nthkey(twin, 1, key) == MPI_ERR_ARG);
    MPI_Info_free(&twin);
    CHECK(twin == MPI_INFO_NULL);
    CHECK(MPI_Info_get_nkeys(twin, &count) == MPI_ERR_INFO);
    MPI_Info_free(&info);
    char ranks[8] = "";
    MPI_Info_get(MPI_INFO_ENV, "maxprocs", 7, ranks, &flag);
    CHECK(flag == 1);
    CHECK(std::string(ranks) == "2");
    CHECK(MPI_Info_set(MPI_INFO_ENV, "x", "y") == MPI_ERR_INFO);
  });
  CHECK(outcome.message == "");
}

TEST_CASE("what brings in other processes is refused with an error of its class") {
  const auto outcome = fake::run(1, [](int) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm made = MPI_COMM_NULL;
    char port[MPI_MAX_PORT_NAME] = "port";
    CHECK(MPI_Comm_spawn("x", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &made,
                         MPI_ERRCODES_IGNORE) == MPI_ERR_SPAWN);
    CHECK(MPI_Comm_spawn_multiple(0, nullptr, MPI_ARGVS_NULL, nullptr, nullptr, 0, MPI_COMM_WORLD,
                                  &made, MPI_ERRCODES_IGNORE) == MPI_ERR_SPAWN);
    CHECK(MPI_Open_port(MPI_INFO_NULL, port) == MPI_ERR_PORT);
    CHECK(MPI_Close_port(port) == MPI_ERR_PORT);
    CHECK(MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &made) == MPI_ERR_PORT);
    CHECK(MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &made) == MPI_ERR_PORT);
    CHECK(MPI_Publish_name("x", MPI_INFO_NULL, port) == MPI_ERR_SERVICE);
    CHECK(MPI_Unpublish_name("x", MPI_INFO_NULL, port) == MPI_ERR_SERVICE);
    CHECK(MPI_Lookup_name("x", MPI_INFO_NULL, port) == MPI_ERR_NAME);
    CHECK(MPI_Comm_join(0, &made) == MPI_ERR_OTHER);
    MPI_Comm_get_parent(&made);
    CHECK(made == MPI_COMM_NULL);
    CHECK(MPI_Pcontrol(1, "x") == MPI_SUCCESS);
  });
  CHECK(outcome.message == "");
}

TEST_CASE("a disconnected communicator has nothing under way") {
  const auto outcome = fake::run(2, [](int rank) {
    MPI_Comm copy;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    int got = -1;
    MPI_Request request;
    MPI_Irecv(&got, 1, MPI_INT, 1 - rank, 0, copy, &request);
    MPI_Send(&rank, 1, MPI_INT, 1 - rank, 0, copy);
    MPI_Comm_disconnect(&copy);
    CHECK(copy == MPI_COMM_NULL);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(got == 1 - rank);
  });
  CHECK(outcome.message == "");
}

namespace {

int query(void* state, MPI_Status* status) {
  calls.push_back("query");
  MPI_Status_set_elements(status, MPI_INT, *static_cast<int*>(state));
  MPI_Status_set_cancelled(status, 0);
  return MPI_SUCCESS;
}

int free_state(void*) {
  calls.push_back("free");
  return MPI_SUCCESS;
}

int cancel(void*, int complete) {
  calls.push_back(complete != 0 ? "cancel complete" : "cancel");
  return MPI_SUCCESS;
}

}  // namespace

TEST_CASE("a generalized request asks for its status and is freed by the call that ends it") {
  calls.clear();
  const auto outcome = fake::run(1, [](int) {
    int done = 7;
    MPI_Request request;
    MPI_Grequest_start(query, free_state, cancel, &done, &request);
    int flag = 1;
    MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    CHECK(flag == 0);
    MPI_Cancel(&request);
    MPI_Grequest_complete(request);
    MPI_Status status;
    MPI_Wait(&request, &status);
    CHECK(request == MPI_REQUEST_NULL);
    int count = 0;
    MPI_Get_count(&status, MPI_INT, &count);
    CHECK(count == 7);
    // Freed by the program: nobody asks for a status.
    MPI_Grequest_start(query, free_state, cancel, &done, &request);
    MPI_Request kept = request;
    MPI_Request_free(&request);
    MPI_Grequest_complete(kept);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    CHECK(MPI_Grequest_complete(MPI_REQUEST_NULL) == MPI_ERR_REQUEST);
  });
  CHECK(outcome.message == "");
  CHECK(calls == std::vector<std::string>{"cancel", "query", "free", "free"});
}

TEST_CASE("statuses are told how much a generalized request has done") {
  const auto outcome = fake::run(1, [](int) {
    MPI_Datatype mixed;
    const std::array<int, 2> lengths{1, 2};
    const std::array<MPI_Aint, 2> places{0, 8};
    const std::array<MPI_Datatype, 2> types{MPI_INT, MPI_DOUBLE};
    MPI_Type_create_struct(2, lengths.data(), places.data(), types.data(), &mixed);
    MPI_Status status{};
    MPI_Status_set_elements(&status, mixed, 4);
    int count = 0;
    MPI_Get_elements(&status, mixed, &count);
    CHECK(count == 4);
    CHECK(status._ucount == 4 + 16 + 4);
    MPI_Status_set_elements_x(&status, MPI_INT, 5);
    MPI_Get_count(&status, MPI_INT, &count);
    CHECK(count == 5);
    MPI_Status_set_cancelled(&status, 1);
    int flag = 0;
    MPI_Test_cancelled(&status, &flag);
    CHECK(flag == 1);
    MPI_Type_free(&mixed);
  });
  CHECK(outcome.message == "");
}
