// Wrong use of MPI as a user meets it: a C program under `orrery explore`, and its mended twin.
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
using orrery::test::line_of;
using orrery::test::WorkingDirectory;

/// A whole program around what the ranks do.
std::string program(const std::string& body) {
  return "#include <mpi.h>\n#include <stdlib.h>\n"
         "int main(int argc, char **argv) {\n"
         "  int rank;\n  static char room[4096];\n"
         "  MPI_Request request = MPI_REQUEST_NULL;\n"
         "  double values[8] = {0};\n  int numbers[16] = {0};\n"
         "  MPI_Init(&argc, &argv);\n  MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n"
         "  (void)room, (void)request, (void)values, (void)numbers;\n" +
         body + "  return 0;\n}\n";
}

CommandResult search(const WorkingDirectory& here, const std::string& source) {
  here.write("app.c", source);
  const CommandResult built = here.orrery("cc -g -O1 -Wall -Werror -o app app.c");
  INFO(built.err);
  REQUIRE(built.status == 0);
  return here.orrery("explore --json -n 2 --runs 200 ./app");
}

/// The finding of a wrong program: it is of this class, `message` is in it, and its places are
/// these lines.
void check_found(const std::string& source, const std::string& class_name,
                 const std::string& message, const std::vector<std::string>& lines) {
  const WorkingDirectory here;
  const CommandResult result = search(here, source);
  INFO(source << result.out << result.err);
  REQUIRE(result.status == 1);
  const json found = json::parse(result.out)["findings"].at(0);
  CHECK(found["kind"] == "mpi_usage");
  CHECK(found["class"] == class_name);
  CHECK(found["message"].get<std::string>().find(message) != std::string::npos);
  REQUIRE(found["where"].size() == lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    CAPTURE(lines[i]);
    CHECK(found["where"][i]["line"] == line_of(source, lines[i]));
  }
}

void check_clean(const std::string& source) {
  const WorkingDirectory here;
  const CommandResult result = search(here, source);
  INFO(source << result.out << result.err);
  CHECK(result.status == 0);
}

TEST_CASE("A rank that ends without MPI_Finalize is found, at its exit and its MPI_Init") {
  const std::string finalize = "  MPI_Finalize();\n";
  check_found(program("  if (rank == 1) exit(0);\n" + finalize), "outside init and finalize",
              "MPI_Finalize: rank 1 ends without it", {"exit(0)", "MPI_Init("});
  check_found(program("  if (rank == 0) return 0;\n" + finalize), "outside init and finalize",
              "MPI_Finalize: rank 0 ends without it", {"int main(", "MPI_Init("});
  check_clean(program(finalize + "  exit(0);\n"));
  check_clean("#include <mpi.h>\nint main(void) { return 0; }\n");
}

TEST_CASE("MPI_Finalize may be called by a handler of exit") {
  check_clean(
      "#include <mpi.h>\n#include <stdlib.h>\n"
      "static void end(void) { MPI_Finalize(); }\n"
      "int main(int argc, char **argv) {\n"
      "  MPI_Init(&argc, &argv);\n  atexit(end);\n  return 0;\n}\n");
}

TEST_CASE("Types of a message that do not match are found, with the lines of both ends") {
  const auto exchange = [](const std::string& received) {
    return program(
        "  if (rank == 0) MPI_Send(values, 2, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);\n"
        "  if (rank == 1)\n"
        "    MPI_Recv(numbers, 8, " +
        received +
        ", 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n"
        "  MPI_Finalize();\n");
  };
  check_found(exchange("MPI_INT"), "type mismatch",
              "was sent as 2 elements of MPI_DOUBLE and is received as MPI_INT",
              {"MPI_Recv(", "MPI_Send("});
  check_clean(exchange("MPI_DOUBLE"));
}

TEST_CASE("A message that is too long is found, with the lines of both ends") {
  const auto exchange = [](const std::string& count) {
    return program("  if (rank == 0) MPI_Send(values, " + count +
                   ", MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);\n"
                   "  if (rank == 1)\n"
                   "    MPI_Recv(values, 4, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n"
                   "  MPI_Finalize();\n");
  };
  check_found(exchange("5"), "truncation", "has 40 bytes, and the buffer has room for 32",
              {"MPI_Recv(", "MPI_Send("});
  check_clean(exchange("4"));
}

TEST_CASE("A ready send without a posted receive is found") {
  check_found(program("  if (rank == 0) MPI_Rsend(numbers, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);\n"
                      "  if (rank == 1) {\n"
                      "    MPI_Irecv(numbers, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);\n"
                      "    MPI_Wait(&request, MPI_STATUS_IGNORE);\n  }\n"
                      "  MPI_Finalize();\n"),
              "ready send", "MPI_Rsend: rank 1 has posted no receive", {"MPI_Rsend("});
  check_clean(
      program("  if (rank == 1)\n"
              "    MPI_Irecv(numbers, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);\n"
              "  MPI_Barrier(MPI_COMM_WORLD);\n"
              "  if (rank == 0) MPI_Rsend(numbers, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);\n"
              "  MPI_Wait(&request, MPI_STATUS_IGNORE);\n"
              "  MPI_Finalize();\n"));
}

TEST_CASE("Buffered sends that together do not fit the attached buffer are found") {
  const auto sends = [](const std::string& room) {
    return program(
        "  if (rank == 0) {\n"
        "    int size = 0;\n    char *back = NULL;\n"
        "    MPI_Buffer_attach(room, 2 * (32 + MPI_BSEND_OVERHEAD) - " +
        room +
        ");\n"
        "    MPI_Bsend(values, 4, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);\n"
        "    MPI_Bsend(numbers, 8, MPI_INT, 1, 1, MPI_COMM_WORLD);\n"
        "    MPI_Buffer_detach(&back, &size);\n"
        "  } else {\n"
        "    MPI_Recv(numbers, 8, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n"
        "    MPI_Recv(values, 4, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n"
        "  }\n"
        "  MPI_Finalize();\n");
  };
  check_found(sends("1"), "attached buffer", "are taken by messages (1)", {"MPI_Bsend(numbers"});
  check_clean(sends("0"));
}

TEST_CASE("--mpi-checks arguments looks at arguments and messages alone, and a log keeps that") {
  const WorkingDirectory here;
  const auto build = [&here](const std::string& name, const std::string& body) {
    here.write(name + ".c", program(body + "  MPI_Finalize();\n"));
    REQUIRE(here.orrery("cc -g -o " + name + " " + name + ".c").status == 0);
  };
  build("changes",
        "  MPI_Isend(values, 1, MPI_DOUBLE, rank, 0, MPI_COMM_WORLD, &request);\n"
        "  values[0] = 1;\n"
        "  MPI_Recv(values + 1, 1, MPI_DOUBLE, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n"
        "  MPI_Wait(&request, MPI_STATUS_IGNORE);\n");
  build("leaks", "  MPI_Comm copy;\n  MPI_Comm_dup(MPI_COMM_WORLD, &copy);\n");
  build("sends", "  MPI_Send(values, 1, MPI_DOUBLE, 2, 0, MPI_COMM_WORLD);\n");
  const auto status = [&here](const std::string& what, const std::string& name) {
    return here.orrery("run -n 2 --mpi-checks " + what + " ./" + name).status;
  };
  for (const std::string name : {"changes", "leaks"}) {
    CAPTURE(name);
    CHECK(status("all", name) == 1);
    CHECK(status("arguments", name) == 0);
  }
  CHECK(status("arguments", "sends") == 1);
  CHECK(here.orrery("run -n 2 --mpi-checks arguments --record a.orr ./leaks").status == 0);
  CHECK(here.orrery("replay a.orr").status == 0);
  const CommandResult refused = here.orrery("run -n 2 --mpi-checks none ./leaks");
  CHECK(refused.status == 2);
  CHECK(refused.err.find("use all or arguments") != std::string::npos);
}

}  // namespace
