// How build systems find our compilers and our MPI, and start what they have built.
#include <string>

#include <catch2/catch.hpp>

#include "command_runner.hpp"

namespace {

using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::WorkingDirectory;

constexpr const char* sum_program =
    "#include <mpi.h>\n#include <stdio.h>\n"
    "int main(int argc, char** argv) {\n  int rank, size, sum = 0;\n  MPI_Init(&argc, &argv);\n"
    "  MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n  MPI_Comm_size(MPI_COMM_WORLD, &size);\n"
    "  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);\n"
    "  if (rank == 0) printf(\"%d ranks, sum %d\\n\", size, sum);\n"
    "  MPI_Finalize();\n  return 0;\n}\n";

/// A shell whose environment is that of `eval $(orrery env)`.
CommandResult in_environment(const WorkingDirectory& here, const std::string& command) {
  here.write("command.sh", "eval $('" ORRERY_BINARY "' env)\n" + command + "\n");
  return here.shell("sh -e command.sh");
}

void must(const CommandResult& result) {
  INFO(result.out << result.err);
  REQUIRE(result.status == 0);
}

TEST_CASE("In the environment of orrery env, makefiles build and test with our MPI") {
  const WorkingDirectory here;
  here.write("sum.c", sum_program);
  here.write("Makefile",
             "sum: sum.o\n\t$(CC) -o $@ sum.o $(LIBS)\n"
             "sum.o: sum.c\n\t$(CC) $(CFLAGS) -c sum.c\n"
             "twice: sum.c\n\tmpic++ -x c++ -o twice sum.c\n"
             "check: sum twice\n\tmpirun --oversubscribe -np 4 ./sum\n\tmpiexec -n 3 ./twice\n");
  const auto made = in_environment(here, "make -s check");
  must(made);
  CHECK(made.out == "4 ranks, sum 6\n3 ranks, sum 3\n");
  CHECK(made.err.empty());
}

TEST_CASE("The names of an MPI's compilers answer what build systems ask them") {
  const WorkingDirectory here;
  here.write("sum.c", sum_program);
  const auto asked = [&here](const std::string& command) {
    const auto result = in_environment(here, command);
    must(result);
    return result.out;
  };
  const std::string compile = asked("mpicc --showme:compile");
  const std::string link = asked("mpicc -showme:link");
  CHECK(has(compile, "lib/orrery/include\n"));
  CHECK(has(link, "lib/orrery -lmpi\n"));
  CHECK(has(asked("mpicxx --showme:command"), "orrery c++\n"));
  CHECK(has(asked("mpicc -compile-info"), "orrery cc -I"));
  CHECK(has(asked("mpicc -link-info"), "orrery cc -L"));
  CHECK(has(asked("mpicc -show -O2 -o 'a b' sum.c"), "-O2 -o 'a b' sum.c -L"));
  CHECK_FALSE(has(asked("mpicc --showme -c sum.c"), "-lmpi"));
  CHECK(has(asked("mpiCC --showme:version"), "Open MPI 4.1"));
  CHECK(has(asked("mpicc --version"), "gcc"));
  CHECK(has(asked("mpicc -cc=clang --version"), "clang"));
  CHECK(has(asked("OMPI_CC=clang mpicc --version"), "clang"));
  CHECK(has(asked("mpiexec --version"), "Orrery"));
  // What it says suffices for a compiler that is told so.
  const auto told =
      in_environment(here,
                     "$(mpicc --showme:command) $(mpicc --showme:compile) sum.c -o told $(mpicc "
                     "--showme:link) && mpirun -n 2 ./told");
  must(told);
  CHECK(told.out == "2 ranks, sum 1\n");
}

TEST_CASE("CMake's FindMPI finds our MPI, and its tests run in the simulated machine") {
  const WorkingDirectory here;
  here.write("sum.c", sum_program);
  here.write("more.cpp", sum_program);
  here.write("CMakeLists.txt",
             "cmake_minimum_required(VERSION 3.16)\nproject(sums C CXX)\n"
             "find_package(MPI 3.1 REQUIRED)\n"
             "add_executable(sum sum.c)\ntarget_link_libraries(sum MPI::MPI_C)\n"
             "add_executable(more more.cpp)\ntarget_link_libraries(more MPI::MPI_CXX)\n"
             "message(STATUS \"versions ${MPI_C_VERSION} ${MPI_CXX_VERSION}\")\nenable_testing()\n"
             "add_test(NAME sum COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} 4\n"
             "  ${MPIEXEC_PREFLAGS} $<TARGET_FILE:sum> ${MPIEXEC_POSTFLAGS})\n");
  SECTION("in the environment of orrery env") {
    const auto built =
        in_environment(here, "cmake -S . -B b && cmake --build b && cd b && ctest -V");
    must(built);
    CHECK(has(built.out, "versions 3.1 3.1"));
    CHECK(has(built.out, "4 ranks, sum 6"));
  }
  SECTION("where only CC and CXX are ours") {
    const auto built = here.shell("export CC='" ORRERY_BINARY " cc' CXX='" ORRERY_BINARY
                                  " c++' && cmake -S . -B b && cmake --build b");
    must(built);
    CHECK(has(built.out, "versions 3.1 3.1"));
  }
  const auto run = here.orrery("run -n 3 b/more");
  must(run);
  CHECK(run.out == "3 ranks, sum 3\n");
}

TEST_CASE("Configure scripts find MPI in the compiler itself, in -lmpi and by pkg-config") {
  const WorkingDirectory here;
  here.write("sum.c", sum_program);
  // What AC_CHECK_FUNC and AC_SEARCH_LIBS write.
  here.write("conftest.c", "char MPI_Init();\nint main(void) { return MPI_Init(); }\n");
  must(in_environment(here, "$CC conftest.c -o conftest && $CC conftest.c -o conftest -lmpi"));
  const auto built =
      in_environment(here,
                     "$CC $(pkg-config --cflags ompi-c) sum.c -o sum $(pkg-config --libs mpi-c) && "
                     "pkg-config --exists mpi mpi-cxx ompi ompi-cxx && mpirun -n 2 ./sum");
  must(built);
  CHECK(built.out == "2 ranks, sum 1\n");
}

TEST_CASE("Where a project is told of Debian's Open MPI, our header and library win") {
  const WorkingDirectory here;
  here.write("sum.c", sum_program);
  must(here.orrery("cc -g $(pkg-config --cflags ompi-c) -c sum.c"));
  must(
      here.orrery("cc sum.o -o sum $(pkg-config --libs mpi-cxx) -lopen-rte -lopen-pal "
                  "$(realpath /usr/lib/x86_64-linux-gnu/libmpi_cxx.so.40)"));
  CHECK_FALSE(has(here.shell("readelf -d sum").out, "libmpi_cxx"));
  CHECK(has(here.shell("readelf -p .debug_line_str sum").out, "orrery"));
  const auto run = here.orrery("run -n 4 ./sum");
  must(run);
  CHECK(run.out == "4 ranks, sum 6\n");
  // Debian's mpicc, told to compile with us.
  must(here.shell("OMPI_CC='" ORRERY_BINARY " cc' mpicc -o other sum.c"));
  CHECK(here.orrery("run -n 4 ./other").out == "4 ranks, sum 6\n");
}

TEST_CASE("The same executable runs under Debian's mpirun") {
  const WorkingDirectory here;
  here.write("sum.c", sum_program);
  must(here.orrery("cc -o sum sum.c"));
  const auto run = here.shell("mpirun --allow-run-as-root --oversubscribe -n 2 ./sum");
  must(run);
  CHECK(run.out == "2 ranks, sum 1\n");
}

TEST_CASE("mpirun takes a directory, variables and flags of orrery run") {
  const WorkingDirectory here;
  here.write("ask.c",
             "#include <mpi.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
             "int main(int argc, char** argv) {\n  MPI_Init(&argc, &argv);\n"
             "  double start = MPI_Wtime();\n  MPI_Barrier(MPI_COMM_WORLD);\n"
             "  printf(\"%s %s %d\\n\", getenv(\"COLOUR\"), argv[1], MPI_Wtime() - start > 0.5);\n"
             "  MPI_Finalize();\n  return 0;\n}\n");
  must(here.shell("mkdir below"));
  must(here.orrery("cc -o below/ask ask.c"));
  const auto run = in_environment(
      here,
      "ORRERY_RUN_FLAGS='--platform constant:latency=1s' mpirun -wdir below -x COLOUR=blue "
      "--mca btl self --bind-to none -n 2 ./ask word");
  must(run);
  CHECK(run.out == "blue word 1\nblue word 1\n");
}

TEST_CASE("What mpirun, mpif90 and orrery env cannot do is refused by name") {
  const WorkingDirectory here;
  const auto refused = [&here](const std::string& command, const std::string& message) {
    CAPTURE(command);
    const auto result = in_environment(here, command);
    CHECK(result.status == 2);
    CHECK(has(result.err, message));
    CHECK(has(result.err, "hint: "));
  };
  refused("mpirun --output-filename x -n 2 ./app", "'--output-filename' means nothing");
  refused("mpirun -n 2 ./app : -n 1 ./other", "several programs");
  refused("mpirun -n 2", "no program is given");
  refused("mpirun -n", "a value is missing");
  refused("mpirun -n 2 nowhere-at-all", "there is no such program");
  refused("mpirun -wdir nowhere -n 2 ./app", "cannot be entered");
  refused("mpif90 -c solve.f90", "Fortran");
  refused("mpicc -c solve.f90", "Fortran");
  refused("mpicc --showme:colour", "there is no question 'colour'");
  refused("orrery env more", "it takes no operand");
}

TEST_CASE("The C++ bindings of MPI-2 are missed by name") {
  const WorkingDirectory here;
  here.write("old.cpp", "#include <mpi.h>\nint main() { MPI::Init(); MPI::Finalize(); }\n");
  for (const std::string compiler : {"ORRERY_CXX=g++ ", "ORRERY_CXX=clang++ "}) {
    const auto built = here.shell(compiler + "'" ORRERY_BINARY "' c++ old.cpp");
    CHECK(built.status != 0);
    CHECK(has(built.err, "the C++ bindings of MPI-2 (MPI::) are not there"));
  }
}

}  // namespace
