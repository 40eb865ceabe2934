// Looking at memory that may not be there, also where nobody handles the fault: under a debugger.
#include "../../sim_runtime/src/careful_access.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>

#include <catch2/catch.hpp>
#include <sys/mman.h>
#include <unistd.h>

#include <orrery/sim_runtime/crash_reporter.hpp>

using orrery::CrashReport;
using orrery::CrashReporter;
using orrery::detail::careful_load;
using orrery::detail::careful_store;

TEST_CASE("Memory that is not there reads as nothing and takes nothing, whoever handles faults") {
  const auto report = std::make_unique<CrashReport>();
  const auto page_bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  for (const bool is_handled : {true, false, true}) {
    CAPTURE(is_handled);
    std::optional<CrashReporter> reporter;
    if (is_handled) reporter.emplace(*report);
    auto* const pages = static_cast<char*>(
        mmap(nullptr, 2 * page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    REQUIRE(pages != MAP_FAILED);
    constexpr std::uint64_t number = 0x8877665544332211;
    for (const std::size_t bytes : {1, 2, 3, 4, 5, 6, 7, 8}) {
      CAPTURE(bytes);
      const std::uint64_t held = bytes == 8 ? number : number & ((1ULL << (8 * bytes)) - 1);
      careful_store(pages + 1, bytes, number);
      CHECK(careful_load(pages + 1, bytes) == held);
      CHECK(pages[1 + bytes] == 0);
      std::memset(pages, 0, page_bytes);

      CHECK(careful_load(nullptr, bytes) == 0);
      careful_store(nullptr, bytes, number);
    }
    mprotect(pages, page_bytes, PROT_READ);
    careful_store(pages, sizeof number, number);
    CHECK(careful_load(pages, sizeof number) == 0);
    mprotect(pages + page_bytes, page_bytes, PROT_NONE);
    CHECK(careful_load(pages + page_bytes, sizeof number) == 0);
    munmap(pages, 2 * page_bytes);
  }
}
