// What threads of one rank do to one file, and with requests of the program's own, at
// MPI_THREAD_MULTIPLE: all is done once and whole, in every order.
#include <string>

#include <catch2/catch.hpp>

#include "command_runner.hpp"

namespace {

using orrery::test::build_app;
using orrery::test::CommandResult;
using orrery::test::WorkingDirectory;

/// Two threads beside the main one: `body` is what each of them does, `number` its number;
/// `before` and `after` is what the main thread does.
std::string program(const std::string& globals, const std::string& body, const std::string& before,
                    const std::string& after) {
  return "#include <mpi.h>\n#include <pthread.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
         "static int rank, size;\n"
         "static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;\n"
         "static void must(int holds) { if (!holds) abort(); }\n" +
         globals +
         "static void* work(void* argument) {\n  const int number = *(int*)argument;\n"
         "  (void)number;\n" +
         body +
         "  return NULL;\n}\n"
         "int main(int argc, char** argv) {\n  int provided, numbers[2] = {0, 1};\n"
         "  pthread_t threads[2];\n"
         "  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);\n"
         "  MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n  MPI_Comm_size(MPI_COMM_WORLD, &size);\n"
         "  (void)mutex, (void)must;\n" +
         before +
         "  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, work, &numbers[i]);\n"
         "  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);\n" +
         after + "  MPI_Finalize();\n  return 0;\n}\n";
}

void check_clean(const std::string& source) {
  const WorkingDirectory here;
  build_app(here, source, "-g -O1 -Wall -Werror -pthread");
  for (const std::string flags :
       {"--runs 150", "--runs 60 --strategy pct", "--runs 60 --strategy pos --window 0",
        "--runs 40 --preempt shared"}) {
    const CommandResult result = here.orrery("explore --json --no-shrink -n 2 " + flags + " ./app");
    INFO(flags << "\n" << source << result.out << result.err);
    CHECK(result.status == 0);
  }
}

const std::string open_file =
    "  must(MPI_File_open(MPI_COMM_WORLD, \"log\", MPI_MODE_RDWR | MPI_MODE_CREATE, "
    "MPI_INFO_NULL,\n"
    "                     &file) == MPI_SUCCESS);\n"
    "  MPI_File_set_view(file, 0, MPI_INT, MPI_INT, \"native\", MPI_INFO_NULL);\n";
// Twelve records of two numbers, each once and whole.
const std::string read_back =
    "  MPI_Barrier(MPI_COMM_WORLD);\n"
    "  if (rank == 0) {\n    int all[24], seen[2][2][3] = {0};\n    MPI_Status status;\n"
    "    MPI_File_read_at(file, 0, all, 24, MPI_INT, &status);\n    int count;\n"
    "    MPI_Get_count(&status, MPI_INT, &count);\n    must(count == 24);\n"
    "    for (int i = 0; i < 12; ++i) {\n      must(all[2 * i + 1] == -all[2 * i]);\n"
    "      must(seen[all[2 * i] / 100][all[2 * i] / 10 % 10][all[2 * i] % 10]++ == 0);\n    }\n  "
    "}\n"
    "  MPI_File_close(&file);\n";

std::string writes(const std::string& call) {
  return "  for (int round = 0; round < 3; ++round) {\n"
         "    const int value = 100 * rank + 10 * number + round;\n"
         "    const int record[2] = {value, -value};\n" +
         call + "  }\n";
}

}  // namespace

TEST_CASE("Threads write by one shared file pointer, and each record is there once and whole") {
  const std::string file = "static MPI_File file;\n";
  check_clean(program(
      file, writes("    MPI_File_write_shared(file, record, 2, MPI_INT, MPI_STATUS_IGNORE);\n"),
      open_file, read_back));
  check_clean(program(file,
                      writes("    MPI_Request request;\n"
                             "    MPI_File_iwrite_shared(file, record, 2, MPI_INT, &request);\n"
                             "    MPI_Wait(&request, MPI_STATUS_IGNORE);\n"),
                      open_file, read_back));
}

TEST_CASE("Threads write by the file pointer of their rank, and each record is there") {
  check_clean(program("static MPI_File file;\n",
                      writes("    MPI_File_write(file, record, 2, MPI_INT, MPI_STATUS_IGNORE);\n"),
                      open_file + "  MPI_File_seek(file, 12 * rank, MPI_SEEK_SET);\n", read_back));
}

// The functions of a generalized request: the last one may have to wait.
const std::string functions =
    "static int freed;\nstatic MPI_Request request;\nstatic int is_started;\n"
    "static pthread_cond_t started = PTHREAD_COND_INITIALIZER;\n"
    "static int query(void* state, MPI_Status* status) {\n  (void)state;\n"
    "  MPI_Status_set_elements(status, MPI_INT, 1);\n  MPI_Status_set_cancelled(status, 0);\n"
    "  status->MPI_SOURCE = status->MPI_TAG = MPI_UNDEFINED;\n  return MPI_SUCCESS;\n}\n"
    "static int end(void* state) {\n  (void)state;\n  pthread_mutex_lock(&mutex);\n  ++freed;\n"
    "  pthread_mutex_unlock(&mutex);\n  return MPI_SUCCESS;\n}\n"
    "static int cancel(void* state, int is_complete) {\n  (void)state, (void)is_complete;\n"
    "  return MPI_SUCCESS;\n}\n";

TEST_CASE("One thread waits for a generalized request, and another completes it") {
  for (const std::string wait :
       {"    MPI_Wait(&mine, &status);\n",
        "    int flag = 0;\n    while (!flag) MPI_Test(&mine, &flag, &status);\n",
        "    int index;\n    MPI_Waitany(1, &mine, &index, &status);\n"}) {
    check_clean(program(functions,
                        "  if (number == 0) {\n    MPI_Status status;\n    MPI_Request mine;\n"
                        "    MPI_Grequest_start(query, end, cancel, NULL, &mine);\n"
                        "    pthread_mutex_lock(&mutex);\n    request = mine;\n"
                        "    is_started = 1;\n    pthread_cond_signal(&started);\n"
                        "    pthread_mutex_unlock(&mutex);\n" +
                            wait +
                            "    int count;\n    MPI_Get_count(&status, MPI_INT, &count);\n"
                            "    must(count == 1);\n"
                            "  } else {\n    pthread_mutex_lock(&mutex);\n"
                            "    while (!is_started) pthread_cond_wait(&started, &mutex);\n"
                            "    pthread_mutex_unlock(&mutex);\n"
                            "    MPI_Grequest_complete(request);\n  }\n",
                        "", "  must(freed == 1);\n"));
  }
}

TEST_CASE("Generalized requests that threads have freed before are ended once each") {
  check_clean(program(functions,
                      "  for (int i = 0; i < 2; ++i) {\n    MPI_Request mine, same;\n"
                      "    MPI_Grequest_start(query, end, cancel, NULL, &mine);\n    same = mine;\n"
                      "    MPI_Request_free(&mine);\n    MPI_Grequest_complete(same);\n  }\n"
                      "  (void)request, (void)is_started, (void)started;\n",
                      "", "  must(freed == 4);\n"));
}
