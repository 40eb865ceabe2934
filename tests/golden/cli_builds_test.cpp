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

}  // namespace
