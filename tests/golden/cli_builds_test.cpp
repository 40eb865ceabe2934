// Programs in several parts, built as their own builds would do it with `orrery cc`.
#include <string>

#include <catch2/catch.hpp>

#include "command_runner.hpp"

namespace {

using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::WorkingDirectory;

void must(const CommandResult& result) {
  INFO(result.out << result.err);
  REQUIRE(result.status == 0);
}

/// A counter with a constructor, and what calls it.
void write_library_and_program(const WorkingDirectory& here) {
  here.write("counter.cpp", R"(
    #include <string>
    struct Counter {
      std::string name = "a name that is too long for the short form";
      int count = 40;
    };
    static Counter counter;
    int next() { return ++counter.count; }
    Counter& in_function() { static Counter other; ++other.count; return other; }
    int other() { return in_function().count; }
  )");
  here.write("main.cpp", R"(
    #include <cstdio>
    int next();
    int other();
    int main() { std::printf("%d %d %d\n", next(), other(), next()); }
  )");
}

TEST_CASE("A project's shared library begins anew in each run, with its constructors") {
  const WorkingDirectory here;
  write_library_and_program(here);
  must(here.orrery("c++ -g -O2 -shared -fPIC counter.cpp -o libcounter.so"));
  must(here.orrery("c++ -g -O2 main.cpp -L. -lcounter -Wl,-rpath,'$ORIGIN' -o app"));
  const std::string expected = here.shell("./app").out;
  CHECK((expected == "41 41 42\n" || expected == "42 41 41\n"));
  CHECK(here.orrery("run ./app").out == expected);
  must(here.orrery("explore --runs 20 ./app"));
  // Found by LD_LIBRARY_PATH too, in a directory of another name.
  must(here.orrery("c++ -g -O2 main.cpp -L. -lcounter -o bare"));
  must(here.shell("mkdir 'lib dir' && mv libcounter.so 'lib dir'"));
  CHECK(here.shell("LD_LIBRARY_PATH='lib dir' " ORRERY_BINARY " run ./bare").out == expected);
}

std::string sections_of(const WorkingDirectory& here, const std::string& file) {
  return here.shell("readelf -SW " + file).out;
}

TEST_CASE("Objects, archives and what ar, nm, ranlib and strip make of them keep both images") {
  const WorkingDirectory here;
  here.write("twice.c", "int calls; int twice(int x) { ++calls; return 2 * x; }\n");
  here.write("thrice.c", "int thrice(int x) { return 3 * x; }\n");
  here.write("main.c",
             "#include <stdio.h>\nint twice(int);\nint thrice(int);\n"
             "int main(void) { printf(\"%d\\n\", twice(4) + thrice(5)); return 0; }\n");
  must(here.orrery("cc -g -O2 -c twice.c thrice.c main.c"));
  CHECK(has(here.shell("nm twice.o").out, " T twice"));
  must(here.shell("strip -g twice.o && ar rc libboth.a twice.o thrice.o && ranlib libboth.a"));
  CHECK(has(sections_of(here, "twice.o"), ".orrery.instrumented"));
  // By its name, by -l, whole, thin, and put together beforehand.
  must(here.shell("ar rcT thin.a twice.o thrice.o"));
  must(here.orrery("cc -r twice.o thrice.o -o joined.o"));
  must(here.shell("ld -r twice.o thrice.o -o by_ld.o"));
  for (const std::string inputs :
       {"main.o libboth.a", "main.o -L. -lboth",
        "main.o -Wl,--whole-archive,libboth.a,--no-whole-archive", "main.o thin.a",
        "main.o joined.o", "main.o by_ld.o", "main.c -x none libboth.a", "@all.rsp"}) {
    CAPTURE(inputs);
    here.write("all.rsp", "main.o \"twice.o\"\nthrice.o");
    const CommandResult linked = here.orrery("cc -g " + inputs + " -o app");
    CHECK(linked.err.empty());
    REQUIRE(linked.status == 0);
    CHECK(here.shell("./app").out == "23\n");
    // `++calls` is an access of the second image: two more steps.
    CHECK(here.orrery("run --preempt all ./app").out == "23\n");
    CHECK(has(here.orrery("run --preempt all --timeline ./app").err, "no finding"));
  }
  must(here.shell("strip app"));
  CHECK(here.shell("./app").out == "23\n");
  CHECK(here.orrery("run --detect fasttrack ./app").out == "23\n");
}

TEST_CASE("What was not built with orrery cc is named at the link, and linked as it is") {
  const WorkingDirectory here;
  here.write("twice.c", "int twice(int x) { return 2 * x; }\n");
  here.write("thrice.c", "int thrice(int x) { return 3 * x; }\n");
  here.write(
      "main.c",
      "int twice(int);\nint thrice(int);\nint main(void) { return twice(2) + thrice(1); }\n");
  must(here.shell("gcc -fPIC -c twice.c -o twice.o && ar rc libalone.a twice.o"));
  must(here.orrery("cc -c thrice.c main.c"));
  must(here.shell("ar rc libmixed.a twice.o thrice.o"));
  const CommandResult object = here.orrery("cc main.o twice.o thrice.o -o app");
  CHECK(has(object.err, "orrery: twice.o was not built with orrery cc"));
  CHECK_FALSE(has(object.err, "thrice.o"));
  CHECK(here.shell("./app").status == 7);
  CHECK(has(here.orrery("cc main.o -L. -lmixed -o app").err, "libmixed.a(twice.o) was not built"));
  CHECK(has(here.orrery("cc main.o thrice.o libalone.a -o app").err, "libalone.a was not built"));
  const CommandResult run = here.orrery("run --preempt all ./app");
  CHECK(run.status == 1);
  CHECK(run.err.starts_with("orrery: not built with orrery cc: libalone.a; what they do with "));
  CHECK(has(here.orrery("explore --runs 2 ./app").err, "not built with orrery cc: libalone.a;"));
  CHECK_FALSE(has(here.orrery("run --quiet ./app").err, "not built with"));
}

TEST_CASE("A build in the usual way, by CMake, has both images in all that it makes") {
  const WorkingDirectory here;
  here.write("CMakeLists.txt", R"(
    cmake_minimum_required(VERSION 3.16)
    project(demo C CXX)
    set(CMAKE_CXX_STANDARD 20)
    find_package(Threads REQUIRED)
    include(CheckSymbolExists)
    include(CheckFunctionExists)
    check_symbol_exists(pthread_create "pthread.h" HAVE_THREADS)
    check_function_exists(no_such_function HAVE_NONSENSE)
    if(NOT HAVE_THREADS OR HAVE_NONSENSE)
      message(FATAL_ERROR "the checks are wrong")
    endif()
    add_library(counter STATIC counter.c)
    add_library(store SHARED store.cpp)
    add_executable(one one.c)
    target_link_libraries(one counter Threads::Threads)
    add_executable(two two.cpp)
    target_link_libraries(two store counter Threads::Threads)
    target_precompile_headers(two PRIVATE <atomic> <vector>)
    set_property(TARGET counter store one two PROPERTY INTERPROCEDURAL_OPTIMIZATION ${LTO}))");
  here.write("counter.c",
             "static int hits;\nint hit(void) { return __sync_add_and_fetch(&hits, 1); }\n");
  here.write("store.cpp", R"(#include <atomic>
    struct Store { std::atomic<int> count{5}; };
    int stored() { static Store store; return store.count.fetch_add(2); })");
  here.write(
      "one.c",
      "#include <stdio.h>\nint hit(void);\nint main(void) { printf(\"%d\\n\", hit() + hit()); }\n");
  here.write("two.cpp", R"(#include <cstdio>
    extern "C" int hit(void);
    int stored();
    int main() { std::vector<int> all{hit(), stored(), stored()}; for (int i : all) std::printf("%d ", i); })");
  for (const std::string kind : {"gcc OFF", "gcc ON", "clang OFF", "clang ON"}) {
    CAPTURE(kind);
    const bool is_gcc = has(kind, "gcc");
    const std::string compilers =
        is_gcc ? "ORRERY_CC=gcc ORRERY_CXX=g++ " : "ORRERY_CC=clang ORRERY_CXX=clang++ ";
    const std::string lto = has(kind, "ON") ? "ON" : "OFF";
    must(here.shell("rm -rf b; " + compilers +
                    "CC='" ORRERY_BINARY " cc' CXX='" ORRERY_BINARY
                    " c++' cmake -S . -B b -DCMAKE_BUILD_TYPE=Release -DLTO=" +
                    lto));
    must(here.shell(compilers + "cmake --build b -j2"));
    CHECK(here.shell("b/one").out == "3\n");
    CHECK(here.shell("b/two").out == "1 5 7 ");
    for (const std::string file : {"b/one", "b/two", "b/libstore.so"}) {
      CHECK(has(sections_of(here, file), ".orrery.instrumented"));
    }
    CHECK(here.orrery("run b/two").out == "1 5 7 ");
    CHECK(here.orrery("run --detect fasttrack b/two").out == "1 5 7 ");
    CHECK(here.orrery("run --preempt all b/two").out == "1 5 7 ");
  }
}

// As autoconf writes them.
TEST_CASE("The checks of a configure script come out as with the compiler itself") {
  const WorkingDirectory here;
  here.write("conftest.c",
             "char pthread_create ();\nint main (void) { return pthread_create (); }\n");
  CHECK(here.orrery("cc -o conftest -g -O2 conftest.c").status == 0);
  here.write("conftest.c",
             "char no_such_function ();\nint main (void) { return no_such_function (); }\n");
  CHECK(here.orrery("cc -o conftest -g -O2 conftest.c").status == 1);
  here.write(
      "conftest.c",
      "#include <stdatomic.h>\nint main (void) { return __sync_fetch_and_add ((int *) 0, 0); }\n");
  CHECK(here.orrery("cc -c conftest.c").status == 0);
  here.write("conftest.c", "int main (void) { return sizeof (long) == 8 ? 0 : 1; }\n");
  must(here.orrery("cc conftest.c"));
  CHECK(here.shell("./a.out").status == 0);
  CHECK(here.shell("echo 'int x;' | '" ORRERY_BINARY "' cc -c -x c - -o from_input.o").status == 0);
  CHECK(has(sections_of(here, "from_input.o"), ".orrery.instrumented"));
  CHECK(here.orrery("cc -c conftest.c -o /dev/null").status == 0);
  CHECK(here.shell("echo '#include <stdio.h>' | '" ORRERY_BINARY "' cc -E - | grep -c printf")
            .status == 0);
  CHECK(has(here.orrery("cc --version").out, "gcc"));
  must(here.orrery("cc -MD -MF x.d -MT x -c conftest.c -o x.o"));
  CHECK(has(here.read("x.d"), "x: conftest.c"));
  CHECK(here.shell("ls ${TMPDIR:-/tmp} | grep orrery-cc-$$").status == 1);
}
}  // namespace
