#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>

#include <catch2/catch.hpp>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <orrery/sim_runtime/crash_reporter.hpp>
#include <orrery/sim_runtime/symbolizer.hpp>
#include <orrery/sim_runtime/variable_places.hpp>

namespace {

using orrery::CrashReport;
using orrery::CrashReporter;

/// A report that a child can fill in.
struct Shared {
  CrashReport* report = new (mmap(nullptr, sizeof(CrashReport), PROT_READ | PROT_WRITE,
                                  MAP_SHARED | MAP_ANONYMOUS, -1, 0)) CrashReport;
  ~Shared() { munmap(report, sizeof(CrashReport)); }
};

/// Runs `body` in a child that reports; gives the child's status as `waitpid` does.
int status_of(CrashReport& report, const std::function<void(CrashReporter&)>& body) {
  const pid_t child = fork();
  if (child == 0) {
    CrashReporter reporter(report);
    body(reporter);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

bool was_reported(int status) {
  return WIFEXITED(status) && WEXITSTATUS(status) == CrashReporter::exit_status;
}

[[gnu::noinline]] void write_to(volatile int* target) {
  *target = 1;
}

[[gnu::noinline]] int recurse(int depth) {
  volatile char frame[512] = {};
  frame[depth % 512] = 1;
  return depth < 0 ? 0 : recurse(depth + 1) + frame[0];
}

}  // namespace

TEST_CASE("a segmentation fault tells its address and where it came from") {
  Shared shared;
  const int status = status_of(*shared.report, [](CrashReporter&) {
    write_to(reinterpret_cast<volatile int*>(std::uintptr_t{0x10}));
  });
  CHECK(was_reported(status));
  REQUIRE(shared.report->is_filled == 1);
  CHECK(shared.report->signal == SIGSEGV);
  CHECK(shared.report->fault_address == 0x10);
  CHECK_FALSE(shared.report->is_stack_overflow);
  CHECK_FALSE(shared.report->is_hang);
  orrery::Symbolizer symbolizer;
  const auto& place = symbolizer.resolve_exact(shared.report->program_counter);
  CHECK(place.innermost().function == "(anonymous namespace)::write_to");
  CHECK(shared.report->frame_count > 1);
}

TEST_CASE("an overflow of the stack is told apart and still reported") {
  Shared shared;
  const int status =
      status_of(*shared.report, [](CrashReporter&) { write_to(new int(recurse(0))); });
  CHECK(was_reported(status));
  CHECK(shared.report->is_filled == 1);
  CHECK(shared.report->is_stack_overflow);
  CHECK(shared.report->frame_count == CrashReport::frames_max);
}

TEST_CASE("abort and a division by zero are reported with their signals") {
  Shared shared;
  CHECK(was_reported(status_of(*shared.report, [](CrashReporter&) { std::abort(); })));
  CHECK(shared.report->signal == SIGABRT);
  shared.report->clear();
  CHECK(was_reported(status_of(*shared.report, [](CrashReporter&) { std::raise(SIGFPE); })));
  CHECK(shared.report->signal == SIGFPE);
}

#ifdef __SANITIZE_ADDRESS__
TEST_CASE("what AddressSanitizer sees is reported in its words, and it says no more") {
  Shared shared;
  const volatile std::size_t beyond = 2;
  const int status = status_of(*shared.report, [&](CrashReporter&) {
    const std::unique_ptr<int[]> two(new int[2]);
    write_to(two.get() + beyond);
  });
  CHECK(was_reported(status));
  REQUIRE(shared.report->is_filled == 1);
  CHECK(shared.report->memory_error.data() == std::string("heap-buffer-overflow"));
  CHECK(shared.report->access_bytes == sizeof(int));
  CHECK(shared.report->is_write);
  orrery::Symbolizer symbolizer;
  const auto names_writer = [&](std::uintptr_t frame) {
    return symbolizer.resolve(frame).innermost().function == "(anonymous namespace)::write_to";
  };
  const auto* const begin = shared.report->frames.data();
  CHECK(std::any_of(begin, begin + shared.report->frame_count, names_writer));
}
#endif

TEST_CASE("a task that never calls the runtime is reported as hanging") {
  Shared shared;
  const int status = status_of(*shared.report, [](CrashReporter& reporter) {
    reporter.arm_watchdog(std::chrono::milliseconds(20));
    const volatile bool is_waiting = true;
    while (is_waiting) {
    }
  });
  CHECK(was_reported(status));
  CHECK(shared.report->is_hang);
  CHECK(shared.report->signal == SIGALRM);
  CHECK(shared.report->program_counter != 0);
}

TEST_CASE("a watchdog that was disarmed stays silent, and a clean end leaves no report") {
  Shared shared;
  const int status = status_of(*shared.report, [](CrashReporter& reporter) {
    reporter.arm_watchdog(std::chrono::milliseconds(20));
    reporter.disarm_watchdog();
    usleep(60'000);
  });
  CHECK(status == 0);
  CHECK(shared.report->is_filled == 0);
}

TEST_CASE("the former handlers are back when the reporter is gone") {
  Shared shared;
  struct sigaction before = {};
  struct sigaction after = {};
  sigaction(SIGSEGV, nullptr, &before);
  { CrashReporter reporter(*shared.report); }
  sigaction(SIGSEGV, nullptr, &after);
  CHECK(before.sa_handler == after.sa_handler);
}

TEST_CASE("a replay that has parted shows values only where they can be written") {
  Shared shared;
  const int status = status_of(*shared.report, [](CrashReporter&) {
    constexpr std::size_t page_bytes = 4096;
    void* const page = mmap(nullptr, page_bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    orrery::VariablePlace place;
    for (const std::uint32_t bytes : {1U, 2U, 3U, 4U, 8U}) {
      place.value_bytes = bytes;
      place.value_address = reinterpret_cast<std::uintptr_t>(page);
      put_value(place, UINT64_MAX);
      if (value_at(place) != 0) _exit(1);
      place.value_address = 0;
      put_value(place, UINT64_MAX);
      std::uint64_t word = 0;
      place.value_address = reinterpret_cast<std::uintptr_t>(&word);
      put_value(place, UINT64_MAX);
      if (value_at(place) != word || word != UINT64_MAX >> (64 - 8 * bytes)) _exit(1);
    }
  });
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}
