// A task that uses up its stack is a finding that says so, not a mystery and not a dead search.
#include <cstdint>
#include <string>

#include <catch2/catch.hpp>

#include <orrery/explorers/explorer.hpp>
#include <orrery/sim_runtime/world.hpp>

namespace {

using orrery::Finding;
using orrery::FindingKind;
using orrery::World;

// Room for the frames of AddressSanitizer, which are many times as large.
constexpr std::size_t stack_kib = 512;

constexpr std::uint32_t recursion_line = __LINE__ + 5;
/// Uses about 64 bytes and `Bytes` a level.
template <std::size_t Bytes>
[[gnu::noinline]] std::uint64_t descend(std::uint64_t levels) {
  volatile char frame[Bytes] = {};
  return levels == 0 ? 0
                     : descend<Bytes>(levels - 1) + static_cast<std::uint64_t>(frame[Bytes / 2]);
}

orrery::ExploreOptions quick() {
  orrery::ExploreOptions options;
  options.name = "stack overflow";
  options.runs = 20;
  options.save_logs = false;
  options.simulation.stack_bytes = stack_kib * 1024;
  return options;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Two threads, of which `the deep one` goes down so many levels.
template <std::size_t Bytes>
orrery::Program two_threads(std::uint64_t levels) {
  return [levels](World& world) {
    const auto shallow = world.thread("the shallow one", [&world] { world.yield(); });
    const auto deep = world.thread("the deep one", [&world, levels] {
      world.yield();
      world.check(descend<Bytes>(levels) == 0);
    });
  };
}

void check_overflow(const orrery::Report& report) {
  REQUIRE(report.findings.size() == 1);
  const Finding& finding = report.findings[0].finding;
  INFO(finding.message);
  CHECK(finding.kind == FindingKind::crash);
  CHECK(has(finding.message, "stack overflow of the deep one"));
  CHECK(has(finding.message, std::to_string(stack_kib) + " KiB"));
  CHECK(has(finding.message, "--stack-size"));
  REQUIRE_FALSE(finding.where.empty());
  CHECK(finding.where[0].task == "the deep one");
  CHECK(has(finding.where[0].file, "stack_overflow_test.cpp"));
  CHECK(finding.where[0].line >= recursion_line - 2);
  CHECK(finding.where[0].line <= recursion_line + 1);
}

TEST_CASE("An endless recursion of a task is a finding that names the task, its stack and a line") {
  check_overflow(orrery::explore(quick(), two_threads<16>(UINT64_MAX)));
}

TEST_CASE("Frames larger than a page do not step over the guard into the stack of another task") {
  check_overflow(orrery::explore(quick(), two_threads<20'000>(UINT64_MAX)));
}

TEST_CASE("A deep recursion that fits its stack is no finding") {
  CHECK(orrery::explore(quick(), two_threads<16>(200)).findings.empty());
}

TEST_CASE("A wild pointer is no overflow of the stack") {
  const auto report = orrery::explore(quick(), [](World& world) {
    const auto thread = world.thread("wild", [&world] {
      world.yield();
      volatile std::uintptr_t nowhere = 0x10;
      *reinterpret_cast<volatile int*>(nowhere) = 1;
    });
  });
  REQUIRE(report.findings.size() == 1);
  CHECK(has(report.findings[0].finding.message, "SIGSEGV"));
  CHECK_FALSE(has(report.findings[0].finding.message, "overflow"));
  CHECK(report.findings[0].finding.where.at(0).task == "wild");
}

}  // namespace
