#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>

#include <fmt/format.h>

#include <orrery/replay_core/log.hpp>

#include "simulated_app.hpp"

namespace orrery::bench {
namespace {

constexpr double virtual_seconds = 10;
constexpr double tight_share_max = 0.5;    // of the records of `orders`; none without wildcards
constexpr double sparing_share_max = 0.1;  // of receives and probes that name no sender

/// What a method keeps of a run.
struct Records {
  std::uint64_t messages = 0;
  std::uint64_t count = 0;  ///< receives and probes, each with its sender
  std::uint64_t other_outcomes = 0;
  std::uint64_t bytes = 0;  ///< of the records and the other outcomes, on disk
};

/// On disk: how much larger the log is than the same one without them.
std::uint64_t bytes_of_records(const std::string& path) {
  const Log log = read_log(path);
  const std::string without = path + ".without";
  LogWriter writer(without, log.program);
  for (const LogBlock& block : log.blocks) {
    const bool is_of_messages = block.kind == BlockKind::open_calls ||
                                block.kind == BlockKind::traced_messages ||
                                block.kind == BlockKind::answers;
    if (!is_of_messages) writer.append(block.kind, block.content, block.need);
  }
  writer.finish();
  return std::filesystem::file_size(path) - std::filesystem::file_size(without);
}

Records recorded(const SimulatedApp& app, int rounds, const char* method) {
  const Json report = app.record(rounds, fmt::format("--method {}", method));
  const Json& kept = report.at("stats").at("recording");
  return {kept.at("messages").get<std::uint64_t>(), kept.at("kept").get<std::uint64_t>(),
          kept.at("other_outcomes").get<std::uint64_t>(), bytes_of_records(app.log())};
}

std::string text(const Records& records) {
  return fmt::format("{}, {} B", records.count, records.bytes);
}

}  // namespace

void print_records_header() {
  fmt::print(
      "\nRecords of {:.0f} s of virtual time, and what they take in the log\n"
      "{:12} {:>8} {:>9} {:>17} {:>17} {:>17} {:>17} {:>13} {:>6}\n",
      virtual_seconds, "mini-app", "messages", "outcomes", "orders", "wildcards", "racing-messages",
      "tight", "tight/orders", "bytes");
}

void print_records(const SimulatedApp& app) {
  const int rounds = app.rounds_for(virtual_seconds);
  const Records orders = recorded(app, rounds, "orders");
  const Records wildcards = recorded(app, rounds, "wildcards");
  const Records racing = recorded(app, rounds, "racing-messages");
  const Records tight = recorded(app, rounds, "racing-messages-tight");
  const auto percent = [](std::uint64_t part, std::uint64_t all) {
    return 100.0 * static_cast<double>(part) / static_cast<double>(all);
  };
  const bool has_wildcards = wildcards.count > 0;
  const double share = percent(tight.count, orders.count);
  const double bytes_share = percent(tight.bytes, orders.bytes);
  // The target is for programs that use wildcards sparingly, and counts records: those of `orders`
  // take less than a bit each where the order is a regular one.
  const bool is_sparing = percent(wildcards.count, orders.count) <= 100 * sparing_share_max;
  const bool is_met = has_wildcards ? share <= 100 * tight_share_max : tight.count == 0;
  const char* const target = !has_wildcards ? "none" : is_sparing ? "<= 50 %" : "";
  fmt::print("{:12} {:8} {:9} {:>17} {:>17} {:>17} {:>17} {:11.1f} % {:4.0f} %  {} {}\n",
             app.app().name, orders.messages, orders.other_outcomes, text(orders), text(wildcards),
             text(racing), text(tight), share, bytes_share, target,
             *target == '\0' ? ""
             : is_met        ? "met"
                             : "missed");
  std::fflush(stdout);
}

}  // namespace orrery::bench
