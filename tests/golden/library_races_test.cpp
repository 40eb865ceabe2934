// Races within the C++ library, which are told as such.
#include <string>

#include <catch2/catch.hpp>

#include "command_runner.hpp"

using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::WorkingDirectory;

TEST_CASE("A race of std::atomic<std::shared_ptr> is said to be the library's, and suppressed so") {
  const WorkingDirectory here;
  here.write("app.cpp", R"(#include <atomic>
#include <memory>
#include <thread>
static std::atomic<std::shared_ptr<int>> shared;
int main() {
  shared.store(std::make_shared<int>(1));
  std::thread reader([] { shared.load(); });
  std::thread writer([] { shared.store(std::make_shared<int>(2)); });
  reader.join();
  writer.join();
}
)");
  here.write("known", "race:_Sp_atomic\n");
  for (const char* const level : {"-O0", "-O2"}) {
    REQUIRE(here.orrery(std::string("c++ -std=c++20 -g -pthread app.cpp -o app ") + level).status ==
            0);
    const CommandResult told = here.orrery("explore --runs 20 --detect fasttrack ./app");
    INFO(told.out << told.err);
    if (told.status == 0) continue;  // a library in which it is mended
    CHECK(has(told.out, "an access lies in std::_Sp_atomic<"));
    CHECK(has(told.out,
              "the race is the library's, and a line race:_Sp_atomic in a file for "
              "--suppressions leaves it out"));
    const CommandResult less =
        here.orrery("explore --runs 20 --detect fasttrack --suppressions known ./app");
    INFO(less.out << less.err);
    CHECK(less.status == 0);
    CHECK(has(less.out, "by race:_Sp_atomic"));
  }
}
