// Small programs for every construct of threads in C and C++: what must be reachable is reached,
// what must not be never is.
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "command_runner.hpp"

namespace {

using nlohmann::json;
using orrery::test::CommandResult;
using orrery::test::WorkingDirectory;

/// A program of thread_litmus/, and its outcomes: all that there may be.  With the default window a
/// thread may be late by any time, so that a long sleep ends before a short one.
struct ThreadLitmus {
  const char* name;
  std::vector<int> reachable;
};

const std::vector<ThreadLitmus>& programs_in_c() {
  static const std::vector<ThreadLitmus> all{
      // threads.c
      {"first_of_two", {1, 2}},
      {"store_buffering", {1, 2, 3}},
      {"lost_increment", {1, 2}},
      {"kept_increment", {2}},
      {"exit_value", {7}},
      {"detached", {0, 1}},
      {"self_join", {35}},
      {"cancelled", {3, 11, 12, 13}},
      {"once_only", {10}},
      {"key_destructors", {6}},
      {"thread_local_values", {25}},
      {"names", {1}},
      {"main_exits_first", {}},
      // mutexes.c
      {"normal_mutex", {2}},
      {"adaptive_mutex", {2}},
      {"recursive_mutex", {15}},
      {"error_checking_mutex", {11}},
      {"try_lock", {1, 2}},
      {"timed_lock", {1}},
      {"clock_lock", {1}},
      {"robust_mutex", {11}},
      {"readers_meet", {1, 2}},
      {"writer_is_alone", {1}},
      {"rw_lock_tries", {111}},
      {"spinlock", {21}},
      // waiting.c
      {"signalled", {1, 2}},
      {"broadcast", {2}},
      {"wait_times_out", {1, 2}},
      {"clock_wait_times_out", {1, 2}},
      {"wait_or_signal", {1, 2}},
      {"signal_too_soon", {1, 2}},
      {"barrier_serial", {2}},
      {"semaphore_of_two", {12, 22}},
      {"semaphore_tries", {111}},
      {"named_semaphore", {1}},
      {"cancelled_waiter", {11}},
      {"cancelled_taker", {1, 11}},
      // c11.c
      {"c11_mutex", {244}},
      {"c11_tries", {11}},
      {"c11_condition", {1}},
      {"c11_once_and_slots", {14}},
      {"c11_detached", {0, 1}},
      // kernel.c
      {"raw_futex", {1, 2}},
      {"through_pipe", {2, 3}},
      {"through_sockets", {2, 3}},
      {"through_eventfd", {3}},
      {"poll_waits", {1}},
      {"poll_at_once", {0, 1}},
      {"sleepers", {11, 21}},
      {"own_signal", {11}},
      {"random_numbers", {1}},
  };
  return all;
}

const std::vector<ThreadLitmus>& programs_in_cpp() {
  static const std::vector<ThreadLitmus> all{
      // std_threads.cpp
      {"std_first_of_two", {1, 2}},
      {"message_passing", {0, 10, 11}},
      {"fetch_operations", {22, 26}},
      {"stop_token", {0, 1, 2, 3}},
      {"stop_callback", {7}},
      {"called_once", {1}},
      {"called_until_done", {12}},
      {"static_local", {1}},
      {"thread_local_objects", {22}},
      {"promised", {50, 51}},
      {"broken_promise", {1}},
      {"asynchronous", {16}},
      {"packaged", {9}},
      {"exceptions", {0}},
      // std_waiting.cpp
      {"std_mutex", {2}},
      {"std_shared_mutex", {2}},
      {"std_recursive_mutex", {2}},
      {"std_timed_mutex", {11}},
      {"scoped_lock", {2}},
      {"shared_readers", {0, 2}},
      {"std_condition", {2}},
      {"std_condition_times_out", {111}},
      {"std_condition_any", {1}},
      {"std_barrier", {2}},
      {"std_latch", {2}},
      {"counting_semaphore", {211}},
      {"atomic_wait", {3}},
      {"atomic_flag_lock", {2}},
  };
  return all;
}

const std::string sources = ORRERY_SOURCE_DIR "/tests/golden/thread_litmus";

void build(const WorkingDirectory& here, const std::string& command) {
  const CommandResult built = here.shell(command);
  INFO(built.out << built.err);
  REQUIRE(built.status == 0);
}

// A search ends with a finding if an outcome is one of these, or none of these.
json search(const WorkingDirectory& here, const std::string& words, int runs) {
  const CommandResult result = here.orrery("explore --json --no-shrink --runs " +
                                           std::to_string(runs) + " -o found.orr ./app " + words);
  INFO(result.out << result.err);
  REQUIRE((result.status == 0 || result.status == 1));
  return json::parse(result.out);
}

void check(const WorkingDirectory& here, const std::vector<ThreadLitmus>& programs) {
  for (const ThreadLitmus& program : programs) {
    std::string within = std::string(program.name) + " within";
    for (const int outcome : program.reachable) within += " " + std::to_string(outcome);
    CAPTURE(program.name);
    const json others = search(here, within, 200);
    INFO(others.dump(2));
    CHECK(others["outcome"] == "clean");
    for (const int outcome : program.reachable) {
      CAPTURE(outcome);
      const json reached =
          search(here, std::string(program.name) + " is " + std::to_string(outcome), 2000);
      INFO(reached.dump(2));
      REQUIRE(reached["outcome"] == "finding");
      CHECK(reached["findings"].at(0)["kind"] == "exit");
    }
  }
}

}  // namespace

TEST_CASE("What threads of C may come to is reached, and nothing else, with gcc and clang") {
  for (const std::string compiler : {"gcc", "clang"}) {
    CAPTURE(compiler);
    const WorkingDirectory here;
    build(here, "ORRERY_CC=" + compiler + " '" ORRERY_BINARY "' cc -std=gnu11 -O2 -g -pthread '" +
                    sources + "'/*.c -o app");
    check(here, programs_in_c());
  }
}

TEST_CASE("What threads of C++ may come to is reached, and nothing else, with gcc and clang") {
  for (const std::string compiler : {"g++", "clang++"}) {
    CAPTURE(compiler);
    const WorkingDirectory here;
    build(here, "ORRERY_CC=" + std::string(compiler == "g++" ? "gcc" : "clang") +
                    " '" ORRERY_BINARY "' cc -O2 -g -pthread -c '" + sources + "/litmus.c'");
    build(here, "ORRERY_CXX=" + compiler + " '" ORRERY_BINARY "' c++ -std=c++20 -O2 -g -pthread '" +
                    sources + "'/*.cpp litmus.o -o app");
    check(here, programs_in_cpp());
  }
}
