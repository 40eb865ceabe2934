#include <cstdlib>
#include <fstream>

#include <catch2/catch.hpp>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <orrery/sim_runtime/symbolizer.hpp>

namespace game {
namespace {

using Places = std::vector<std::uintptr_t>;

[[gnu::noinline]] void note_caller(Places& places) {
  places.push_back(reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)));
}

/// After a call: so it is not the last thing that its function does, which would then have left.
[[gnu::always_inline]] inline void come_back() {
  asm volatile("");
}

[[gnu::always_inline]] inline void note_inlined(Places& places) {
  note_caller(places);
}

[[gnu::noinline]] unsigned call_by_name(Places& places) {
  note_caller(places);
  come_back();
  return __LINE__ - 2;
}

[[gnu::noinline]] unsigned call_inlined(Places& places) {
  note_inlined(places);
  come_back();
  return __LINE__ - 2;
}

[[gnu::noinline]] void call_inlined_lambda(Places& places) {
  const auto note = [&]() __attribute__((always_inline)) {
    note_caller(places);
    come_back();
  };
  note();
  come_back();
}

template <typename T>
struct Board {
  [[gnu::noinline]] T move(Places& places, T by) const {
    note_caller(places);
    come_back();
    return by;
  }
  void look(Places& places) const {
    const auto walk = [&]() __attribute__((noinline)) {
      note_caller(places);
      come_back();
    };
    walk();
  }
};

}  // namespace
}  // namespace game

TEST_CASE("a return address gives the line of the call, its file and its function") {
  game::Places places;
  const unsigned line = game::call_by_name(places);
  orrery::Symbolizer symbolizer;
  const auto& frame = symbolizer.resolve(places.at(0)).innermost();
  CHECK(frame.file.ends_with("tests/unit/symbolizer_test.cpp"));
  CHECK(frame.line == line);
  CHECK(frame.function == "game::(anonymous namespace)::call_by_name");
}

TEST_CASE("an inlined function is named, and the one that it was inlined into") {
  game::Places places;
  const unsigned line = game::call_inlined(places);
  orrery::Symbolizer symbolizer;
  const auto& frames = symbolizer.resolve(places.at(0)).frames;
  REQUIRE(frames.size() == 2);
  CHECK(frames[0].function == "game::(anonymous namespace)::note_inlined");
  CHECK(frames[1].function == "game::(anonymous namespace)::call_inlined");
  CHECK(frames[1].line == line);
  CHECK(frames[1].file == frames[0].file);
}

TEST_CASE("a member of a template is named without its return type and parameters") {
  game::Places places;
  CHECK(game::Board<int>{}.move(places, 3) == 3);
  orrery::Symbolizer symbolizer;
  CHECK(symbolizer.resolve(places.at(0)).innermost().function ==
        "game::(anonymous namespace)::Board<int>::move");
}

TEST_CASE("a lambda is named with the constant member that it lies in") {
  game::Places places;
  game::Board<int>{}.look(places);
  orrery::Symbolizer symbolizer;
  const std::string function = symbolizer.resolve(places.at(0)).innermost().function;
  INFO(function);
  CHECK(function.starts_with("game::(anonymous namespace)::Board<int>::look("));
  CHECK(function.ends_with("::operator()"));
}

TEST_CASE("a lambda that was inlined is named as one, with the function that it lies in") {
  game::Places places;
  game::call_inlined_lambda(places);
  orrery::Symbolizer symbolizer;
  const auto& frames = symbolizer.resolve(places.at(0)).frames;
  REQUIRE(frames.size() == 2);
  CHECK(frames[0].function ==
        "game::(anonymous namespace)::call_inlined_lambda::{lambda}::operator()");
  CHECK(frames[1].function == "game::(anonymous namespace)::call_inlined_lambda");
}

TEST_CASE("an address in no file gives an empty place") {
  orrery::Symbolizer symbolizer;
  const int variable = 0;
  const auto& frame = symbolizer.resolve(reinterpret_cast<std::uintptr_t>(&variable)).innermost();
  CHECK(frame == orrery::SourceFrame{});
  CHECK(symbolizer.resolve(0).innermost() == orrery::SourceFrame{});
}

TEST_CASE("a function of the C library is named even without debug information") {
  orrery::Symbolizer symbolizer;
  const auto address = reinterpret_cast<std::uintptr_t>(&std::strtol);
  CHECK_FALSE(symbolizer.resolve_exact(address).innermost().function.empty());
}

#if !defined(__SANITIZE_ADDRESS__)  // it needs all addresses that there are

namespace {

std::size_t address_space_bytes() {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

TEST_CASE("where memory runs out less is known of a place, and the process goes on") {
  game::Places places;
  game::call_by_name(places);
  for (std::size_t room_bytes = 1 << 20; room_bytes < (std::size_t{1} << 28);
       room_bytes += room_bytes / 10) {
    CAPTURE(room_bytes);
    const pid_t child = fork();
    if (child == 0) {
      const std::size_t most = address_space_bytes() + room_bytes;
      const rlimit limit{most, most};
      setrlimit(RLIMIT_AS, &limit);
      orrery::Symbolizer symbolizer;
      static_cast<void>(symbolizer.resolve(places.at(0)));
      _exit(77);
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    REQUIRE(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 77);
  }
}

#endif
