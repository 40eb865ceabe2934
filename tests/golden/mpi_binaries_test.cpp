// MPI programs that others have built, with Debian's mpicc or in Debian's packages.
#include <set>
#include <sstream>
#include <string>

#include <catch2/catch.hpp>

#include "command_runner.hpp"

namespace {

using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::WorkingDirectory;

CommandResult must(const CommandResult& result) {
  INFO(result.out << result.err);
  REQUIRE(result.status == 0);
  return result;
}

std::string sorted(const std::string& text) {
  std::istringstream lines(text);
  std::set<std::string> all;
  for (std::string line; std::getline(lines, line);) all.insert(line + "\n");
  std::string result;
  for (const std::string& line : all) result += line;
  return result;
}

/// As a user of Debian's Open MPI builds it.
void build_by_others(const WorkingDirectory& here, const std::string& source,
                     const std::string& compiler = "mpicc", const std::string& language = "c") {
  here.write("app." + language, source);
  must(here.shell("env -u OMPI_CC -u OMPI_CXX " + compiler + " -O2 -g app." + language +
                  " -o app -lm"));
}

constexpr const char* native = "mpirun --allow-run-as-root --oversubscribe ";

// Handles as addresses in instructions, in variables with a value, and in comparisons.
constexpr const char* handles =
    "#include <mpi.h>\n#include <stdio.h>\n"
    "static MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE};\nstatic int counter = 5;\n"
    "int main(int argc, char** argv) {\n  int rank, size, in = 0;\n"
    "  MPI_Request request = MPI_REQUEST_NULL;\n  MPI_Comm some;\n  MPI_Init(&argc, &argv);\n"
    "  MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n  MPI_Comm_size(MPI_COMM_WORLD, &size);\n"
    "  counter += rank;\n"
    "  MPI_Irecv(&in, 1, types[0], (rank + size - 1) % size, 0, MPI_COMM_WORLD, &request);\n"
    "  MPI_Send(&counter, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD);\n"
    "  int before = request != MPI_REQUEST_NULL;\n  MPI_Wait(&request, MPI_STATUS_IGNORE);\n"
    "  MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 1, rank, &some);\n"
    "  printf(\"%d got %d, %d %d %d\\n\", rank, in, before, request == MPI_REQUEST_NULL,\n"
    "         some == MPI_COMM_NULL);\n"
    "  if (some != MPI_COMM_NULL) MPI_Comm_free(&some);\n"
    "  MPI_Finalize();\n  return 0;\n}\n";

TEST_CASE("A program that Debian's mpicc built runs with variables and handles for each rank") {
  const WorkingDirectory here;
  for (const std::string flags : {"", " -O0", " -fPIC", " -O3 -flto -Wl,-z,now"}) {
    CAPTURE(flags);
    build_by_others(here, handles, "mpicc" + flags);
    const auto run = must(here.orrery("run -n 3 ./app"));
    CHECK(sorted(run.out) == "0 got 7, 1 1 1\n1 got 5, 1 1 0\n2 got 6, 1 1 0\n");
    CHECK(has(run.err, "not built with orrery cc"));
    CHECK(sorted(must(here.shell(std::string(native) + "-n 3 ./app")).out) == sorted(run.out));
  }
  CHECK(here.orrery("explore -n 3 --runs 100 ./app").status == 0);
  const auto recorded = must(here.orrery("run --record app.orr -n 3 ./app"));
  CHECK(must(here.orrery("replay app.orr")).out == recorded.out);
}

TEST_CASE("A program that was linked with our library by another compiler runs, too") {
  const WorkingDirectory here;
  here.write("app.c", handles);
  here.write("build.sh", "eval $('" ORRERY_BINARY
                         "' env)\ngcc $(mpicc --showme:compile) app.c -o app $(mpicc "
                         "--showme:link)\n");
  must(here.shell("sh -e build.sh"));
  CHECK(has(must(here.orrery("run -n 3 ./app")).out, "2 got 6, 1 1 0\n"));
}

TEST_CASE("Each rank has its own streams, options and numbers' formats") {
  const WorkingDirectory here;
  build_by_others(here,
                  "#include <mpi.h>\n#include <cstdio>\n#include <iostream>\n#include <stdexcept>\n"
                  "#include <string>\n#include <vector>\n#include <unistd.h>\n"
                  "int main(int argc, char** argv) {\n  int rank, letter, value = 0;\n"
                  "  MPI_Init(&argc, &argv);\n  MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n"
                  "  std::cout.precision(rank + 2);\n"
                  "  while ((letter = getopt(argc, argv, \"v:x\")) != -1) {\n"
                  "    if (letter == 'v') value = std::stoi(optarg) + rank;\n"
                  "    MPI_Barrier(MPI_COMM_WORLD);\n  }\n"
                  "  try { std::vector<int>().at(0); }\n"
                  "  catch (const std::out_of_range&) { value += 100; }\n"
                  "  std::cout << 3.14159 << ' ' << value << ' ' << argv[optind] << std::endl;\n"
                  "  std::fprintf(stdout, \"%d of C\\n\", rank);\n"
                  "  std::cerr << rank << \" to errors\\n\";\n  MPI_Finalize();\n}\n",
                  "mpicxx", "cpp");
  const auto run = must(here.orrery("run --quiet -n 2 ./app -v 7 -x word"));
  CHECK(run.out == "3.1 107 word\n0 of C\n3.14 108 word\n1 of C\n");
  CHECK(run.err == "0 to errors\n1 to errors\n");
}

TEST_CASE("Wrong use of MPI is found in programs of others, at the line of the call") {
  const WorkingDirectory here;
  build_by_others(here,
                  "#include <mpi.h>\nint main(int argc, char** argv) {\n  MPI_Init(&argc, &argv);\n"
                  "  MPI_Send(argv, 1, MPI_INT, 77, 0, MPI_COMM_WORLD);\n  MPI_Finalize();\n}\n");
  const auto run = here.orrery("run -n 2 ./app");
  CHECK(run.status == 1);
  CHECK(has(run.err, "MPI_Send: argument dest is 77"));
  CHECK(has(run.err, "app.c:4"));
}

TEST_CASE("What cannot be loaded once for each rank is refused, with the symbol's name") {
  const WorkingDirectory here;
  const std::string start =
      "#include <mpi.h>\n#include <math.h>\n#include <stdlib.h>\nvoid* malloc(size_t);\n"
      "static __thread int kept_by_thread;\n"
      "int main(int argc, char** argv) {\n  MPI_Init(&argc, &argv);\n";
  const auto refused = [&here](const std::string& flags, const std::string& message) {
    CAPTURE(message);
    const auto run = here.orrery("run " + flags + " ./app");
    CHECK(run.status == 2);
    CHECK(has(run.err, message));
    CHECK(has(run.err, "hint: "));
  };
  build_by_others(here, start + "  return 0;\n}\n");
  refused("-n 2 --preempt all", "its accesses to memory are not seen");
  refused("--threads", "this is an MPI program: --threads is for programs without");
  build_by_others(here, start + "  return 0;\n}\n", "mpicc -no-pie");
  refused("-n 2", "it was linked with -no-pie");
  build_by_others(here, start + "  return kept_by_thread++;\n}\n");
  refused("-n 2", "thread-local variables (kept_by_thread)");
  build_by_others(here, start + "  return signgam;\n}\n");
  refused("-n 2", "a copy of __signgam, a variable of a library's");
  build_by_others(
      here, start + "  return 0;\n}\nvoid* malloc(size_t size) { return calloc(1, size); }\n");
  refused("-n 2", "a `malloc` of its own");
  build_by_others(here, start + "  return 0;\n}\n", "mpicc -fsanitize=address");
  refused("-n 2", "-fsanitize=address");
}

TEST_CASE("Debian's netpipe measures the simulated network") {
  const WorkingDirectory here;
  const auto run = must(here.orrery(
      "run -n 2 --platform constant:latency=25us /usr/bin/NPopenmpi -l 1 -u 64 -o np.out"));
  CHECK(has(run.err, "  0:       1 bytes"));
  // Half of there and back.
  CHECK(has(run.err, "in      25.0"));
  const auto natively =
      must(here.shell(std::string(native) + "-n 2 /usr/bin/NPopenmpi -l 1 -u 64 -o np.out 2>&1"));
  CHECK(has(natively.out, "  0:       1 bytes"));
}

TEST_CASE("Debian's hpcc passes its own checks, here as natively") {
  const WorkingDirectory here;
  must(here.shell("sed 's/^1000  /200  /' /usr/share/doc/hpcc/examples/_hpccinf.txt >hpccinf.txt"));
  must(here.orrery("run -n 4 --keep-files kept /usr/bin/hpcc"));
  must(here.shell(std::string(native) + "-n 4 /usr/bin/hpcc"));
  for (const std::string file : {"kept/hpccoutf.txt", "hpccoutf.txt"}) {
    CAPTURE(file);
    const std::string report = here.read(file);
    CHECK(has(report, "Success=1\n"));
    CHECK(has(report, "CommWorldProcs=4\n"));
    CHECK(has(report, "PASSED"));
    CHECK_FALSE(has(report, "FAILED"));
  }
}

TEST_CASE("Debian's ExaML finds the same likelihood of a tree, here as natively") {
  const WorkingDirectory here;
  here.write("a.phy",
             "5 24\none ACGTACGTACGTACGTACGTACGT\ntwo ACGTACGAACGTACGTACCTACGT\n"
             "three ACGAACGAACGTTCGTACCTACGA\nfour ACGAACGAACTTTCGTCCCTACGA\n"
             "five TCGAACGAACTTTCGTCCCTGCGA\n");
  here.write("a.tree", "((one:0.1,two:0.1):0.1,three:0.1,(four:0.1,five:0.1):0.1);\n");
  must(here.shell("parse-examl -s a.phy -m DNA -n a"));
  const std::string program =
      "-n 3 /usr/lib/examl/bin/examl-sse3 -t a.tree -m GAMMA -s a.binary -f e -n ";
  const auto likelihood = [](const CommandResult& result) {
    const std::size_t begin = must(result).out.find("Likelihood tree 0: -");
    REQUIRE(begin != std::string::npos);
    return result.out.substr(begin, result.out.find('\n', begin) - begin);
  };
  CHECK(likelihood(here.orrery("run " + program + "here")) ==
        likelihood(here.shell(native + program + "there")));
}

}  // namespace
