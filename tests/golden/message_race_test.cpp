// `--detect message_race` on MPI programs: one in which the order of messages matters, and its
// twin.
#include <cstddef>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "command_runner.hpp"
#include "source_lines.hpp"

namespace {

using nlohmann::json;
using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::line_of;
using orrery::test::WorkingDirectory;

/// A whole program around what rank 0 and the others do.
std::string program(const std::string& first, const std::string& others) {
  return "#include <mpi.h>\n#include <stdio.h>\n"
         "int main(int argc, char **argv) {\n"
         "  int rank, size, got = 0, other = 0;\n  MPI_Status status;\n"
         "  MPI_Request requests[2];\n  float part = 0, sum = 0;\n"
         "  MPI_Init(&argc, &argv);\n  MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n"
         "  MPI_Comm_size(MPI_COMM_WORLD, &size);\n"
         "  (void)got, (void)other, (void)status, (void)requests, (void)part, (void)sum;\n"
         "  if (rank == 0) {\n" +
         first + "  } else {\n" + others + "  }\n  MPI_Finalize();\n  return 0;\n}\n";
}

const std::string send_rank = "    MPI_Send(&rank, 1, MPI_INT, 0, 4, MPI_COMM_WORLD); // sends\n";

/// One run of the program on three ranks, with the detector.
CommandResult run(const WorkingDirectory& here, const std::string& source) {
  here.write("app.c", source);
  const CommandResult built = here.orrery("cc -g -O1 -Wall -Werror -o app app.c");
  INFO(built.err);
  REQUIRE(built.status == 0);
  return here.orrery("run --json --detect message_race --record app.orr -n 3 ./app");
}

void check_race(const std::string& source, const std::string& class_name,
                const std::string& message) {
  const WorkingDirectory here;
  const CommandResult result = run(here, source);
  INFO(source << result.out << result.err);
  REQUIRE(result.status == 1);
  const json report = json::parse(result.out);
  const json found = report["findings"].at(0);
  CHECK(found["kind"] == "message_race");
  CHECK(found["class"] == class_name);
  CHECK(has(found["message"].get<std::string>(), message));
  REQUIRE(found["where"].size() >= 3);
  CHECK(found["where"][0]["line"] == line_of(source, "// takes"));
  CHECK(found["where"][1]["line"] == line_of(source, "// sends"));
  CHECK(found["where"][2]["line"] == line_of(source, "// sends"));
  CHECK(found["where"][1]["task"] != found["where"][2]["task"]);
  // Both runs can be shown again; the log of the first brings the detector along.
  CHECK(here.orrery("replay app.orr").status == 1);
  CHECK(report["stats"]["other_log"] == "app-other.orr");
  const CommandResult other = here.orrery("replay --json app-other.orr");
  INFO(other.out << other.err);
  CHECK(other.status == 0);
}

void check_harmful(const std::string& source, const std::string& message) {
  check_race(source, "harmful", message);
}

/// A race that makes no difference, or (`remark` empty) no race.
void check_clean(const std::string& source, const std::string& remark) {
  const WorkingDirectory here;
  const CommandResult result = run(here, source);
  INFO(source << result.out << result.err);
  CHECK(result.status == 0);
  const json stats = json::parse(result.out)["stats"];
  CHECK(stats.contains("remarks") == !remark.empty());
  if (!stats.contains("remarks")) return;
  CHECK(stats["remarks"][0]["class"] == remark);
}

TEST_CASE("an MPI program that writes down who was first, and one that adds up") {
  const std::string receive =
      "      MPI_Recv(&other, 1, MPI_INT, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &status); // takes\n";
  const std::string loop = "    for (int i = 1; i < size; ++i) {\n";
  check_harmful(program(loop + receive + "      printf(\"%d\\n\", other);\n    }\n", send_rank),
                "has rank 0 write \"");
  check_clean(program(loop + receive + "      got += other;\n    }\n    printf(\"%d\\n\", got);\n",
                      send_rank),
              "benign");
}

TEST_CASE("an MPI program that adds floats in any order, and one that adds them in one") {
  const std::string others =
      "    part = rank == 1 ? 1e8f : 1;\n"
      "    for (int i = 0; i < 2; ++i) {\n"
      "      MPI_Send(&part, 1, MPI_FLOAT, 0, 4, MPI_COMM_WORLD); // sends\n"
      "      part = rank == 1 ? -1e8f : 1;\n    }\n"
      "    MPI_Bcast(&sum, 1, MPI_FLOAT, 0, MPI_COMM_WORLD);\n";
  const auto first = [](const std::string& source) {
    return "    for (int i = 0; i < 4; ++i) {\n"
           "      MPI_Recv(&part, 1, MPI_FLOAT, " +
           source +
           ", 4, MPI_COMM_WORLD, &status); // takes\n      sum += part;\n    }\n"
           "    MPI_Bcast(&sum, 1, MPI_FLOAT, 0, MPI_COMM_WORLD);\n";
  };
  check_race(program(first("MPI_ANY_SOURCE"), others), "other values",
             "a message that is not in this one");
  check_clean(program(first("i % 2 + 1"), others), "");
}

TEST_CASE("an MPI program with receives for any tag that are posted ahead, and one with tags") {
  const auto first = [](const std::string& source, const std::string& tag) {
    return "    for (int i = 0; i < 2; ++i) {\n      MPI_Irecv(i == 0 ? &got : &other, 1, "
           "MPI_INT, " +
           source + ", " + tag +
           ", MPI_COMM_WORLD, &requests[i]); // takes\n    }\n"
           "    for (int i = 0; i < 2; ++i) {\n      int done;\n"
           "      MPI_Waitany(2, requests, &done, &status);\n    }\n"
           "    printf(\"%d %d\\n\", got, other);\n";
  };
  const std::string others =
      "    MPI_Send(&rank, 1, MPI_INT, 0, 6 + rank, MPI_COMM_WORLD); // sends\n";
  check_harmful(program(first("MPI_ANY_SOURCE", "MPI_ANY_TAG"), others), "has rank 0 write \"");
  check_clean(program(first("i + 1", "MPI_ANY_TAG"), others), "");
}

TEST_CASE("an MPI program that probes for anybody and then receives by source") {
  const auto first = [](const std::string& then) {
    return "    for (int i = 1; i < size; ++i) {\n"
           "      MPI_Probe(MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &status); // takes\n"
           "      MPI_Recv(&other, 1, MPI_INT, status.MPI_SOURCE, 4, MPI_COMM_WORLD, &status);\n" +
           then + "    }\n    printf(\"%d\\n\", got);\n";
  };
  check_harmful(program(first("      got = got * 10 + other;\n"), send_rank),
                "has rank 0 write \"");
  check_clean(program(first("      got += other;\n"), send_rank), "benign");
}

TEST_CASE("an MPI program with a matched probe for anybody, and one by source") {
  const auto first = [](const std::string& source) {
    return "    for (int i = 1; i < size; ++i) {\n      MPI_Message message;\n"
           "      MPI_Mprobe(" +
           source +
           ", 4, MPI_COMM_WORLD, &message, &status); // takes\n"
           "      MPI_Mrecv(&other, 1, MPI_INT, &message, &status);\n"
           "      printf(\"%d\\n\", other);\n    }\n";
  };
  check_harmful(program(first("MPI_ANY_SOURCE"), send_rank), "has rank 0 write \"");
  check_clean(program(first("i"), send_rank), "");
}

TEST_CASE("a barrier between that orders the sends: an MPI program with it, and one without") {
  const std::string receive =
      "    MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &status); // takes\n"
      "    printf(\"%d\\n\", got);\n";
  const std::string barrier = "    MPI_Barrier(MPI_COMM_WORLD);\n";
  const std::string second =
      "    MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &status);\n"
      "    printf(\"%d\\n\", got);\n";
  const std::string with_barrier = "    if (rank == 2) MPI_Barrier(MPI_COMM_WORLD);\n" + send_rank +
                                   "    if (rank == 1) MPI_Barrier(MPI_COMM_WORLD);\n";
  check_clean(program(receive + barrier + second, with_barrier), "");
  check_harmful(program(receive + second + barrier, send_rank + barrier), "has rank 0 write \"");
}

TEST_CASE("a race that nobody sees from outside is told apart, and what a run keeps is its own") {
  const std::string receive =
      "      MPI_Recv(&other, 1, MPI_INT, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &status); // takes\n";
  const std::string end = "    }\n    MPI_Bcast(&got, 1, MPI_INT, 0, MPI_COMM_WORLD);\n";
  const std::string first =
      "    for (int i = 1; i < size; ++i) {\n" + receive + "      got = got * 10 + other;\n" + end;
  const std::string others = send_rank + "    MPI_Bcast(&got, 1, MPI_INT, 0, MPI_COMM_WORLD);\n";
  const WorkingDirectory here;
  const CommandResult result = run(here, program(first, others));
  INFO(result.out << result.err);
  CHECK(result.status == 1);
  CHECK(json::parse(result.out)["findings"].at(0)["class"] == "other values");
  const CommandResult outside =
      here.orrery("run --json --detect message_race:compare=output -n 3 ./app");
  CHECK(outside.status == 0);
  CHECK(json::parse(outside.out)["stats"]["remarks"][0]["class"] == "benign");
  CHECK(here.orrery("run --detect message_race:compare=x -n 3 ./app").status == 2);
}

/// Rank 0 takes two numbers from anybody; `write` is what it does with each of them.
std::string filing(const std::string& open, const std::string& write, const std::string& close) {
  return program(open +
                     "    for (int i = 1; i < size; ++i) {\n      MPI_Recv(&other, 1, MPI_INT, "
                     "MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &status); // takes\n" +
                     write + "    }\n" + close,
                 send_rank);
}

TEST_CASE("a race that only a file shows is harmful, and the kept file is that of the first run") {
  const std::string open = "    FILE *file = fopen(\"order.txt\", \"w\");\n";
  const std::string close = "    fclose(file);\n";
  const std::string source = filing(open, "      fprintf(file, \"number %d\\n\", other);\n", close);
  check_harmful(source, " in order.txt, line 1");
  const WorkingDirectory here;
  REQUIRE(run(here, source).status == 1);
  REQUIRE(here.orrery("run -n 3 --keep-files plain ./app").status == 0);
  REQUIRE(here.orrery("run --detect message_race -n 3 --keep-files watched ./app").status == 1);
  CHECK(here.read("plain/order.txt") == here.read("watched/order.txt"));
  CHECK(here.orrery("run --detect message_race:compare=output -n 3 ./app").status == 1);
  check_clean(
      filing(open, "      got += other;\n", "    fprintf(file, \"sum %d\\n\", got);\n" + close),
      "benign");
}

TEST_CASE("a race by which another file is there, and one whose file is gone in the end") {
  const std::string write =
      "      if (i == 1) {\n        char name[16];\n        sprintf(name, \"from-%d\", other);\n"
      "        fclose(fopen(name, \"w\"));\n";
  check_harmful(filing("", write + "      }\n", ""), " file from-1");
  check_clean(filing("", write + "        remove(name);\n      }\n", ""), "benign");
  const std::string take_away = "      if (i == 1 && other == 1) remove(\"app.c\");\n";
  check_harmful(filing("", take_away, ""), "away app.c");
}

TEST_CASE("a race that shows in a file of MPI's, or in its binary content") {
  const auto write_at = [](const std::string& place) {
    return "      MPI_File_write_at(file, " + place + ", &other, 1, MPI_INT, MPI_STATUS_IGNORE);\n";
  };
  const std::string open =
      "    MPI_File file;\n    MPI_File_open(MPI_COMM_SELF, \"numbers\", MPI_MODE_WRONLY | "
      "MPI_MODE_CREATE, MPI_INFO_NULL, &file);\n";
  const std::string close = "    MPI_File_close(&file);\n";
  check_harmful(filing(open, write_at("4 * i"), close),
                "leaves other bytes in numbers, from byte 4");
  check_clean(filing(open, write_at("4 * other"), close), "benign");
}

/// One rank has two threads: `work` is what each of them does, then `after` what all ranks do.
std::string threads(const std::string& which_rank, const std::string& work,
                    const std::string& after) {
  return "#include <mpi.h>\n#include <pthread.h>\n#include <stdio.h>\n"
         "static int got[2];\n"
         "static void *work(void *argument) {\n  const int number = *(int *)argument;\n" +
         work +
         "  return NULL;\n}\n"
         "int main(int argc, char **argv) {\n  int provided, rank, numbers[2] = {0, 1};\n"
         "  pthread_t both[2];\n"
         "  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);\n"
         "  MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n  const int count = rank == " +
         which_rank +
         " ? 2 : 0;\n"
         "  for (int i = 0; i < count; ++i) pthread_create(&both[i], NULL, work, &numbers[i]);\n" +
         after +
         "  for (int i = 0; i < count; ++i) pthread_join(both[i], NULL);\n"
         "  if (rank == 0) printf(\"%d then %d\\n\", got[0], got[1]);\n"
         "  MPI_Finalize();\n  return 0;\n}\n";
}

TEST_CASE(
    "threads of one rank that send with one tag, to a receive that names them, and with two") {
  const auto source = [](const std::string& tag, const std::string& received_tag,
                         const std::string& from) {
    return threads(
        "1", "  MPI_Send(&number, 1, MPI_INT, 0, " + tag + ", MPI_COMM_WORLD); // sends\n",
        "  for (int i = 0; i < 2 && rank == 0; ++i)\n    MPI_Recv(&got[i], 1, MPI_INT, " + from +
            ", " + received_tag + ", MPI_COMM_WORLD, MPI_STATUS_IGNORE); // takes\n");
  };
  check_harmful(source("4", "4", "MPI_ANY_SOURCE"), "has rank 0 write \"");
  check_harmful(source("4", "4", "1"), "has rank 0 write \"");
  check_clean(source("number", "i", "1"), "");
  check_clean(source("number", "i", "MPI_ANY_SOURCE"), "");
}

TEST_CASE("threads that receive from anybody, each for itself: with one tag, and with its own") {
  const auto source = [](const std::string& from, const std::string& kept) {
    return threads(
        "0",
        "  int value = 0;\n  MPI_Recv(&value, 1, MPI_INT, " + from +
            ", 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // takes\n  " + kept + "\n",
        "  if (rank != 0) MPI_Send(&rank, 1, MPI_INT, 0, 4, MPI_COMM_WORLD); // sends\n");
  };
  check_harmful(source("MPI_ANY_SOURCE", "got[number] = value;"), "has rank 0 write \"");
  check_clean(source("MPI_ANY_SOURCE", "got[0] += value, (void)number;"), "benign");
  check_clean(source("number + 1", "got[number] = value;"), "");
}

TEST_CASE("a race that a one-sided operation tells others, and one of which it tells the sum") {
  const auto source = [](const std::string& operation) {
    const std::string window =
        "    MPI_Win window;\n    MPI_Win_create(&got, sizeof got, 1, MPI_INFO_NULL, "
        "MPI_COMM_WORLD, &window);\n";
    const std::string fence = "    MPI_Win_fence(0, window);\n";
    const std::string end = fence + "    MPI_Win_free(&window);\n";
    return program(
        "    int from[3] = {0};\n    for (int i = 1; i < size; ++i) {\n"
        "      MPI_Recv(&from[i], 1, MPI_INT, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &status); // "
        "takes\n"
        "      from[0] += from[i];\n    }\n" +
            window + fence + operation + end,
        send_rank + window + fence + end + "    if (rank == 1) printf(\"%d\\n\", got);\n");
  };
  const auto put = [](const std::string& what) {
    return "    MPI_Put(&from[" + what + "], 1, MPI_INT, 1, 0, 1, MPI_INT, window);\n";
  };
  check_harmful(source(put("1")), "has rank 0 send rank 1 a message that is not in this one");
  check_clean(source(put("0")), "benign");
  const auto accumulate = [](const std::string& what) {
    return "    MPI_Accumulate(&from[" + what +
           "], 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_SUM, window);\n";
  };
  check_harmful(source(accumulate("2")), "has rank 0 send rank 1 a message");
  check_clean(source(accumulate("1") + accumulate("2")), "benign");
}

TEST_CASE("a search for message races stops at a harmful one only, and saves both runs") {
  const WorkingDirectory here;
  const auto source = [](const std::string& then) {
    return program(
        "    for (int i = 1; i < size; ++i) {\n"
        "      MPI_Recv(&other, 1, MPI_INT, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, "
        "&status); // takes\n" +
            then + "    }\n    printf(\"%d\\n\", got);\n",
        send_rank);
  };
  here.write("app.c", source("      got = other;\n"));
  here.write("mended.c", source("      got += other;\n"));
  REQUIRE(here.orrery("cc -g -o app app.c").status == 0);
  REQUIRE(here.orrery("cc -g -o mended mended.c").status == 0);
  const CommandResult found = here.orrery("explore --detect message_race -n 3 -o race.orr ./app");
  INFO(found.out << found.err);
  CHECK(found.status == 1);
  CHECK(has(found.out, "message_race (harmful): a receive has got a message of rank "));
  CHECK(has(found.out, "with the other message: orrery replay race-other.orr"));
  CHECK(here.orrery("replay race.orr").status == 1);
  CHECK(here.orrery("replay race-other.orr").status == 0);
  const CommandResult clean = here.orrery("explore --detect message_race -n 3 --runs 50 ./mended");
  INFO(clean.out << clean.err);
  CHECK(clean.status == 0);
  const auto file = [](const std::string& what) {
    return filing("    FILE *file = fopen(\"order\", \"w\");\n", "      got += other;\n",
                  "    fprintf(file, \"%d\\n\", " + what + ");\n    fclose(file);\n");
  };
  here.write("file.c", file("other"));
  here.write("sum.c", file("got"));
  REQUIRE(here.orrery("cc -g -o file file.c").status == 0);
  REQUIRE(here.orrery("cc -g -o sum sum.c").status == 0);
  const CommandResult in_file = here.orrery("explore --detect message_race -n 3 ./file");
  INFO(in_file.out << in_file.err);
  CHECK(in_file.status == 1);
  CHECK(has(in_file.out, "message_race (harmful)"));
  CHECK(has(in_file.out, "in order, line 1"));
  CHECK(here.orrery("explore --detect message_race -n 3 --runs 50 ./sum").status == 0);
}

}  // namespace
