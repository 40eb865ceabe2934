// MPI programs whose ranks have threads: what the level of thread support allows, and that all of
// it works at MPI_THREAD_MULTIPLE.
#include <algorithm>
#include <string>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "command_runner.hpp"

namespace {

using nlohmann::json;
using orrery::test::CommandResult;
using orrery::test::WorkingDirectory;

/// A program of two threads beside the main one: `body` is what each of them does, `number` its
/// number, 0 or 1; `before` and `after` is what the main thread does before they begin and after
/// they end.
std::string program(const std::string& level, const std::string& body,
                    const std::string& before = {}, const std::string& after = {}) {
  return "#include <mpi.h>\n#include <pthread.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
         "static int rank, size, shared[8];\n"
         "static MPI_Comm comms[2];\nstatic MPI_Win window;\nstatic MPI_Request request;\n"
         "static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;\n"
         "static void must(int holds) { if (!holds) abort(); }\n"
         "static void* work(void* argument) {\n"
         "  const int number = *(int*)argument;\n  int in[8] = {0}, out[8] = {0};\n"
         "  (void)number, (void)in, (void)out, (void)must;\n" +
         body +
         "  return NULL;\n}\n"
         "int main(int argc, char** argv) {\n  int provided, numbers[2] = {0, 1};\n"
         "  pthread_t threads[2];\n  MPI_Init_thread(&argc, &argv, " +
         level +
         ", &provided);\n"
         "  MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n  MPI_Comm_size(MPI_COMM_WORLD, &size);\n"
         "  (void)shared, (void)comms, (void)window, (void)request, (void)mutex;\n" +
         before +
         "  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, work, &numbers[i]);\n"
         "  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);\n" +
         after + "  MPI_Finalize();\n  return 0;\n}\n";
}

CommandResult search(const WorkingDirectory& here, const std::string& source,
                     const std::string& flags) {
  here.write("app.c", source);
  const CommandResult built = here.orrery("cc -g -O1 -Wall -Werror -pthread -o app app.c");
  INFO(built.err);
  REQUIRE(built.status == 0);
  return here.orrery("explore --json --no-shrink -n 2 " + flags + " ./app");
}

void check_clean(const std::string& source) {
  for (const std::string flags : {"--runs 100 --preempt sync", "--runs 40 --preempt shared"}) {
    CAPTURE(flags, source);
    const WorkingDirectory here;
    const CommandResult result = search(here, source, flags);
    INFO(result.out << result.err);
    CHECK(result.status == 0);
  }
}

void check_found(const std::string& source, const std::string& class_name,
                 const std::string& message) {
  for (const std::string flags : {"--runs 100 --preempt sync", "--runs 100 --preempt shared"}) {
    CAPTURE(flags, source);
    const WorkingDirectory here;
    const CommandResult result = search(here, source, flags);
    INFO(result.out << result.err);
    REQUIRE(result.status == 1);
    const json found = json::parse(result.out)["findings"].at(0);
    CHECK(found["kind"] == "mpi_usage");
    CHECK(found["class"] == class_name);
    CHECK(found["message"].get<std::string>().find(message) != std::string::npos);
    CHECK(found["where"].size() == 2);
  }
}

// Each thread has messages of its own with the same thread of the other rank.
constexpr const char* exchange =
    "  MPI_Request both[2];\n"
    "  for (int round = 0; round < 3; ++round) {\n"
    "    for (int i = 0; i < 8; ++i) out[i] = 100 * number + 10 * rank + round;\n"
    "    MPI_Irecv(in, 8, MPI_INT, 1 - rank, number, MPI_COMM_WORLD, &both[0]);\n"
    "    MPI_Isend(out, 8, MPI_INT, 1 - rank, number, MPI_COMM_WORLD, &both[1]);\n"
    "    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);\n"
    "    must(in[7] == 100 * number + 10 * (1 - rank) + round);\n"
    "  }\n";
constexpr const char* ask = "  MPI_Comm_rank(MPI_COMM_WORLD, &out[0]);\n";
constexpr const char* to_itself =
    "  MPI_Sendrecv(out, 1, MPI_INT, rank, number, in, 1, MPI_INT, rank, number, MPI_COMM_WORLD,\n"
    "               MPI_STATUS_IGNORE);\n";

std::string locked(const std::string& body) {
  return "  pthread_mutex_lock(&mutex);\n" + body + "  pthread_mutex_unlock(&mutex);\n";
}

TEST_CASE("Threads that MPI does not know of must not call it") {
  check_found(program("MPI_THREAD_SINGLE", ask), "thread level", "at MPI_THREAD_SINGLE");
  check_found(program("MPI_THREAD_FUNNELED", ask), "thread level", "at MPI_THREAD_FUNNELED");
  check_clean(program("MPI_THREAD_SERIALIZED", locked(ask)));
  const std::string ask_in_main = "  MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n";
  check_clean(program("MPI_THREAD_FUNNELED", "", ask_in_main, ask_in_main));
}

TEST_CASE("At MPI_THREAD_SERIALIZED calls of two threads must not overlap") {
  check_found(program("MPI_THREAD_SERIALIZED", to_itself), "thread level",
              "while another thread of the rank is inside MPI_Sendrecv");
  check_clean(program("MPI_THREAD_SERIALIZED", locked(to_itself)));
}

TEST_CASE("MPI is finalized by the thread that initialised it") {
  check_found(program("MPI_THREAD_MULTIPLE", "  if (number == 0) MPI_Finalize();\n"),
              "thread level", "MPI_Finalize: called by another thread than the main one");
}

TEST_CASE("MPI is finalized when no other thread is inside a call") {
  const std::string receive =
      "  if (number == 0) pthread_exit(NULL);\n"
      "  MPI_Recv(in, 1, MPI_INT, 1 - rank, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n";
  std::string source = program("MPI_THREAD_MULTIPLE", receive);
  const std::string join = "pthread_join(threads[i], NULL)";
  source.replace(source.find(join), join.size(), "if (i == 0) " + join);
  const WorkingDirectory here;
  const CommandResult result = search(here, source, "--runs 100 --keep-going");
  INFO(result.out << result.err);
  REQUIRE(result.status == 1);
  // Who comes to its receive later finds that MPI is over, or that the process is.
  const json findings = json::parse(result.out)["findings"];
  const std::string message = "is inside MPI_Recv: first all threads must have completed";
  CHECK(std::ranges::any_of(findings, [&](const json& found) {
    return found["class"] == "thread level" && found["where"].size() == 2 &&
           found["message"].get<std::string>().find(message) != std::string::npos;
  }));
}

TEST_CASE("Any thread may ask what the level is and which thread is the main one") {
  const std::string asks =
      "  int level, is_main, is_there;\n  MPI_Query_thread(&level);\n"
      "  MPI_Is_thread_main(&is_main);\n  MPI_Initialized(&is_there);\n";
  check_clean(program("MPI_THREAD_SINGLE",
                      asks + "  must(level == MPI_THREAD_SINGLE && !is_main && is_there);\n",
                      "  {\n" + asks + "  must(is_main && is_there);\n  }\n"));
}

TEST_CASE("Threads exchange messages at MPI_THREAD_MULTIPLE") {
  check_clean(program("MPI_THREAD_MULTIPLE", exchange));
}

TEST_CASE("Threads have collective operations of their own at MPI_THREAD_MULTIPLE") {
  check_clean(program("MPI_THREAD_MULTIPLE",
                      "  MPI_Request sum;\n  out[0] = rank + number;\n"
                      "  MPI_Iallreduce(out, in, 1, MPI_INT, MPI_SUM, comms[number], &sum);\n"
                      "  MPI_Wait(&sum, MPI_STATUS_IGNORE);\n  must(in[0] == 1 + 2 * number);\n"
                      "  MPI_Allreduce(out, in, 1, MPI_INT, MPI_MAX, comms[number]);\n"
                      "  must(in[0] == 1 + number);\n",
                      "  for (int i = 0; i < 2; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);\n",
                      "  for (int i = 0; i < 2; ++i) MPI_Comm_free(&comms[i]);\n"));
}

TEST_CASE("Threads make and free objects at MPI_THREAD_MULTIPLE, and leaks have their line") {
  const std::string make =
      "  MPI_Comm own;\n  MPI_Comm_dup(comms[number], &own);\n"
      "  MPI_Barrier(own);\n  MPI_Comm_free(&own);\n";
  const std::string before =
      "  for (int i = 0; i < 2; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);\n";
  const std::string after = "  for (int i = 0; i < 2; ++i) MPI_Comm_free(&comms[i]);\n";
  check_clean(program("MPI_THREAD_MULTIPLE", make, before, after));
}

TEST_CASE("Threads put and flush in one epoch at MPI_THREAD_MULTIPLE") {
  check_clean(
      program("MPI_THREAD_MULTIPLE",
              "  out[0] = 7 + number;\n"
              "  for (int round = 0; round < 2; ++round) {\n"
              "    MPI_Put(out, 1, MPI_INT, 1 - rank, number, 1, MPI_INT, window);\n"
              "    MPI_Win_flush(1 - rank, window);\n"
              "    MPI_Get(in, 1, MPI_INT, 1 - rank, number, 1, MPI_INT, window);\n"
              "    MPI_Win_flush(1 - rank, window);\n    must(in[0] == 7 + number);\n  }\n",
              "  MPI_Win_create(shared, sizeof shared, sizeof(int), MPI_INFO_NULL,\n"
              "                 MPI_COMM_WORLD, &window);\n  MPI_Win_lock_all(0, window);\n",
              "  MPI_Win_unlock_all(window);\n  MPI_Win_free(&window);\n"));
}

TEST_CASE("A request is completed by one thread only") {
  const std::string start =
      "  MPI_Irecv(shared, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request);\n"
      "  const MPI_Request copy = request;\n  (void)copy;\n";
  const std::string wait = "  MPI_Request own = request;\n  MPI_Wait(&own, MPI_STATUS_IGNORE);\n";
  const std::string send = "  MPI_Send(&rank, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);\n";
  const WorkingDirectory here;
  const CommandResult result =
      search(here, program("MPI_THREAD_MULTIPLE", wait, start + send), "--runs 100");
  INFO(result.out << result.err);
  REQUIRE(result.status == 1);
  const json found = json::parse(result.out)["findings"].at(0);
  CHECK(found["kind"] == "mpi_usage");
  check_clean(
      program("MPI_THREAD_MULTIPLE", "  if (number == 0) {\n" + wait + "  }\n", start + send));
}

}  // namespace
