// What the C++ library counts for threads that share it: exceptions, the texts of errors, locales.
// Who lets go last destroys it, in each replay as in the run that was recorded.
#include <string>

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "command_runner.hpp"
#include "every_method.hpp"

namespace {

using orrery::test::build_app;
using orrery::test::check_real_recordings;
using orrery::test::check_simulated_recordings;
using orrery::test::CommandResult;
using orrery::test::WorkingDirectory;

// Three threads meet before each round.  Where a thread's blocks come from tells which it has
// freed.
const std::string rounds = R"(#include <barrier>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <future>
#include <locale>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>
static constexpr int all_rounds = 12;
static std::barrier<> meeting(3);
static unsigned long seen[3];
static void mix(int me, unsigned long value) { seen[me] = seen[me] * 31 + value; }
static void look(int me) {
  void *blocks[5];
  int taken = 0;
  for (int bytes : {24, 40, 80, 144, 200}) {
    blocks[taken] = ::operator new(bytes);
    mix(me, reinterpret_cast<std::uintptr_t>(blocks[taken++]));
  }
  for (void *block : blocks) ::operator delete(block);
}
template <typename Round>
static void meet(Round round) {
  std::vector<std::thread> threads;
  for (int me = 0; me < 3; ++me)
    threads.emplace_back([=] {
      for (int k = 0; k < all_rounds; ++k) round(me, k);
    });
  for (auto &one : threads) one.join();
  std::printf("%lx %lx %lx\n", seen[0], seen[1], seen[2]);
}
)";

// Each has hold of what was made before.
const std::string handed_out = R"(
static std::exception_ptr made[all_rounds];
int main() {
  for (auto &one : made) one = std::make_exception_ptr(std::runtime_error("is rather a long text"));
  meet([](int me, int k) {
    std::exception_ptr mine = made[k];
    meeting.arrive_and_wait();
    if (me == 0) made[k] = nullptr;
    try {
      std::rethrow_exception(mine);
    } catch (const std::runtime_error &error) {
      mix(me, error.what()[3]);
      mine = nullptr;
    }
    look(me);
  });
}
)";

void check_rounds(const std::string& source) {
  const WorkingDirectory here;
  build_app(here, rounds + source, "-std=c++20 -g -O1 -w -pthread", "cpp");
  check_real_recordings(here);
  check_simulated_recordings(here, "20us", {1, 2});
  for (int seed = 1; seed <= 2; ++seed) {
    const CommandResult watched =
        here.orrery(fmt::format("run --detect fasttrack --window 20us --seed {} ./app", seed));
    INFO(watched.out << watched.err);
    CHECK(watched.status == 0);
  }
}

TEST_CASE("Who lets go last of an exception that threads share does so in every replay") {
  check_rounds(handed_out);
}

TEST_CASE("So they do where clang compiles, and where the C++ library is a part of the program") {
  for (const std::string how : {"ORRERY_CXX=clang++ ", ""}) {
    CAPTURE(how);
    const WorkingDirectory here;
    here.write("app.cpp", rounds + handed_out);
    const std::string library = how.empty() ? " -static-libstdc++" : "";
    const CommandResult built = here.shell(how + ORRERY_BINARY " c++ -std=c++20 -g -O1 -pthread" +
                                           library + " app.cpp -o app");
    INFO(built.err);
    REQUIRE(built.status == 0);
    CHECK(built.err.empty());
    check_real_recordings(here);
    CHECK(here.orrery("run --detect fasttrack ./app").status == 0);
  }
}

TEST_CASE("So do those who handle exceptions that were thrown, and have others within them") {
  check_rounds(R"(
struct Outer : std::exception {
  std::string text = "a text that is too long to lie in the object";
};
static std::exception_ptr caught[all_rounds];
static void fail() {
  try {
    throw std::out_of_range("a text that is too long to lie in the object");
  } catch (...) {
    std::throw_with_nested(Outer());
  }
}
int main() {
  meet([](int me, int k) {
    std::exception_ptr inner;
    if (k % 3 != me) {
      meeting.arrive_and_wait();
      std::exception_ptr mine = caught[k];
      meeting.arrive_and_wait();
      try {
        std::rethrow_exception(mine);
      } catch (const Outer &outer) {
        mine = nullptr;
        try {
          std::rethrow_if_nested(outer);
        } catch (const std::out_of_range &error) {
          mix(me, error.what()[2]);
          if (k % 2 != 0) inner = std::current_exception();
        }
      }
    } else {
      try {
        fail();
      } catch (...) {
        caught[k] = std::current_exception();
        meeting.arrive_and_wait();
        meeting.arrive_and_wait();
        caught[k] = nullptr;
      }
    }
    look(me);
    inner = nullptr;
    look(me);
  });
}
)");
}

TEST_CASE("So do those who have a future that throws, and whoever made the promise") {
  check_rounds(R"(
static std::optional<std::promise<int>> promises[all_rounds];
static std::shared_future<int> futures[all_rounds];
int main() {
  for (int k = 0; k < all_rounds; ++k) futures[k] = promises[k].emplace().get_future().share();
  meet([](int me, int k) {
    if (k % 3 == me) {
      promises[k]->set_exception(std::make_exception_ptr(std::runtime_error("is broken")));
      promises[k].reset();
    }
    std::shared_future<int> future = futures[k];
    meeting.arrive_and_wait();
    if (k % 3 == me) futures[k] = {};
    try {
      std::shared_future<int>(std::move(future)).get();
    } catch (std::runtime_error error) {
      mix(me, error.what()[3]);
    }
    look(me);
  });
}
)");
}

TEST_CASE("Errors that were copied from one have texts and paths, whoever loses them first") {
  check_rounds(R"(
static std::optional<std::range_error> errors[3];
static std::optional<std::out_of_range> others[3];
static std::optional<std::filesystem::filesystem_error> files[3];
int main() {
  meet([](int me, int k) {
    if (k % 3 == me) {
      const std::range_error error("the text of round " + std::to_string(k));
      const std::out_of_range other("another text of round " + std::to_string(k));
      const std::filesystem::filesystem_error file("the file of round " + std::to_string(k),
                                                   "/a/path/that/is/long",
                                                   std::make_error_code(std::errc::io_error));
      for (int i = 0; i < 3; ++i) {
        errors[i] = error;
        others[i] = other;
        files[i] = file;
      }
    }
    meeting.arrive_and_wait();
    std::range_error own("mine");
    own = *errors[me];
    mix(me, own.what()[18] + others[me]->what()[22] + files[me]->path1().native().size());
    errors[me].reset();
    others[me].reset();
    files[me].reset();
    look(me);
    meeting.arrive_and_wait();
  });
}
)");
}

TEST_CASE("Who lets go last of a locale destroys what it has in every replay") {
  check_rounds(R"(
struct Dots : std::numpunct<char> {
  std::string text = "a text that is too long to lie in the object";
  char do_thousands_sep() const override { return '.'; }
};
static std::optional<std::locale> locales[3];
int main() {
  meet([](int me, int k) {
    if (k % 3 == me) {
      const std::locale locale(std::locale::classic(), new Dots);
      for (auto &one : locales) one = locale;
    }
    meeting.arrive_and_wait();
    mix(me, std::use_facet<std::numpunct<char>>(*locales[me]).thousands_sep());
    if (k % 2 == 0) *locales[me] = std::locale::classic();
    locales[me].reset();
    look(me);
    meeting.arrive_and_wait();
  });
}
)");
}

TEST_CASE("Threads that print by a locale with a name come again, whoever is the first") {
  check_rounds(R"(
#include <sstream>
int main() {
  std::locale::global(std::locale("C.UTF-8"));
  meet([](int me, int k) {
    if (k == 0) meeting.arrive_and_wait();
    std::ostringstream text;
    text << 1234567 + k << ' ' << 3.5 * k << std::boolalpha << (k == 3);
    std::istringstream words("12 13.5 hello");
    int number;
    double fraction;
    std::string word;
    words >> number >> fraction >> word;
    mix(me, text.str().size() + number + word.size());
    look(me);
  });
}
)");
}

TEST_CASE("Atomic access to pointers that lie on a stack waits in a replay for whom it waited") {
  check_rounds(R"(
int main() {
  std::shared_ptr<std::string> pointers[4];
  for (auto &one : pointers) one = std::make_shared<std::string>("a text that is not short");
  meet([&](int me, int k) {
    for (auto &one : pointers) {
      auto expected = std::atomic_load(&one);
      mix(me, (*expected)[0]);
      auto mine = std::make_shared<std::string>(20 + me, char('a' + k));
      if (k % 3 == me) {
        std::atomic_store(&one, mine);
      } else {
        mix(me, std::atomic_compare_exchange_strong(&one, &expected, mine));
      }
    }
    look(me);
  });
}
)");
}

TEST_CASE("An exception that ends where it is caught is no step") {
  const WorkingDirectory here;
  build_app(here, R"(#include <cstdlib>
#include <stdexcept>
#include <thread>
static void work(int times) {
  for (int i = 0; i < times; ++i) try {
      throw std::runtime_error("again");
    } catch (std::runtime_error error) {
      if (error.what()[0] != 'a') std::abort();
    }
}
int main(int, char **arguments) {
  const int times = std::atoi(arguments[1]);
  std::thread one(work, times), other(work, times);
  one.join();
  other.join();
}
)",
            "-g -O1 -w -pthread", "cpp");
  const auto steps_of = [&](int times) {
    const CommandResult run = here.orrery(fmt::format("run --json ./app {}", times));
    INFO(run.out << run.err);
    REQUIRE(run.status == 0);
    return nlohmann::json::parse(run.out)["steps"].get<int>();
  };
  CHECK(steps_of(50) == steps_of(0));
}

}  // namespace
