#include "fault_plan.hpp"

#include <algorithm>
#include <chrono>
#include <vector>

#include <orrery/network_model/duration_text.hpp>
#include <orrery/network_model/name_with_options.hpp>
#include <orrery/network_model/suggestion.hpp>
#include <orrery/network_model/usage_error.hpp>

#include "decimal.hpp"
#include "quoted.hpp"

namespace orrery {
namespace {

using detail::quoted;

using namespace std::chrono_literals;

constexpr std::int64_t parts_per_one = 1'000'000'000;
constexpr std::uint32_t usual_parts_per_billion = 10'000'000;  // one message in a hundred
constexpr std::uint64_t per_run_most = 1'000'000;

constexpr std::string_view unreliable_word = "unreliable";
constexpr std::string_view resend_word = "resend";

constexpr std::array<std::string_view, fault_kind_count> kind_names = {
    "none",      "loss",      "duplicate", "corrupt", "delay",     "partition",
    "link-down", "nic-stall", "sram-full", "crash",   "clock-skew"};

const std::array<FaultEntry, fault_kind_count - 1> entries = {{
    {FaultKind::loss, "a message does not arrive", true, {}},
    {FaultKind::duplicate, "a message arrives twice", true, {}},
    {FaultKind::corrupt, "one bit of a message is turned over", true, {}},
    {FaultKind::delay, "a message comes later, by up to DURATION", true, 1ms},
    {FaultKind::partition, "two groups of hosts cannot reach each other", false, 10ms},
    {FaultKind::link_down, "a host's link is down", false, 10ms},
    {FaultKind::nic_stall, "a host's NIC stands still, and loses nothing", false, 1ms},
    {FaultKind::sram_full, "a host's NIC has no buffer for what arrives", false, 1ms},
    {FaultKind::crash, "a host loses its processes, and starts them again", false, 10ms},
    {FaultKind::clock_skew, "a host's clock is ahead, by up to DURATION", false, 1s},
}};

const FaultEntry& entry_of(FaultKind kind) {
  return entries.at(static_cast<std::size_t>(kind) - 1);
}

/// `KIND[=HOW_OFTEN][:DURATION]`, taken apart.
struct Words {
  std::string_view kind;
  std::string_view how_often;
  std::string_view duration;
};

Words words_of(std::string_view item) {
  Words words;
  const std::size_t colon = item.find(':');
  if (colon != std::string_view::npos) words.duration = item.substr(colon + 1);
  item = item.substr(0, colon);
  const std::size_t equals = item.find('=');
  if (equals != std::string_view::npos) words.how_often = item.substr(equals + 1);
  words.kind = item.substr(0, equals);
  return words;
}

FaultKind kind_of(std::string_view word, std::string_view where) {
  const auto found = std::find(kind_names.begin() + 1, kind_names.end(), word);
  if (found != kind_names.end()) return static_cast<FaultKind>(found - kind_names.begin());
  std::vector<std::string> names(kind_names.begin() + 1, kind_names.end());
  names.emplace_back(unreliable_word);
  names.emplace_back(resend_word);
  throw UsageError("there is no fault " + quoted(word), std::string(where), name_hint(word, names));
}

std::uint32_t parse_probability(std::string_view text, const std::string& where) {
  const auto number = detail::split_decimal(text);
  if (!number || !number->rest.empty()) {
    throw UsageError(quoted(text) + " is not a probability", where,
                     "write a number from 0 to 1, as in 0.01");
  }
  const detail::Scaled scaled = detail::scale(*number, parts_per_one);
  if (scaled.fault == detail::ScaleFault::not_whole) {
    throw UsageError("the probability " + std::string(text) + " is too fine", where,
                     "give at most nine digits after the point");
  }
  if (scaled.fault != detail::ScaleFault::none || scaled.value > parts_per_one) {
    throw UsageError("the probability " + std::string(text) + " is greater than 1", where,
                     "write a number from 0 to 1, as in 0.01");
  }
  return static_cast<std::uint32_t>(scaled.value);
}

FaultSetting setting_of(const FaultEntry& entry, const Words& words, std::string_view where) {
  const std::string place =
      (where.empty() ? std::string() : std::string(where) + " ") + std::string(name(entry.kind));
  FaultSetting setting;
  setting.is_on = true;
  setting.duration = entry.usual_duration;
  if (entry.is_of_messages) {
    setting.parts_per_billion = words.how_often.empty() ? usual_parts_per_billion
                                                        : parse_probability(words.how_often, place);
    setting.is_on = setting.parts_per_billion > 0;
  } else {
    setting.per_run_max = words.how_often.empty() ? 1
                                                  : static_cast<std::uint32_t>(parse_whole_number(
                                                        words.how_often, place, 0, per_run_most));
    setting.is_on = setting.per_run_max > 0;
  }
  if (words.duration.empty()) return setting;
  if (entry.usual_duration == VirtualDuration::zero()) {
    throw UsageError("a fault of this kind does not last", place,
                     "leave out ':" + std::string(words.duration) + "'");
  }
  setting.duration = parse_duration(words.duration, place);
  if (setting.duration == VirtualDuration::zero() || setting.duration == VirtualDuration::max()) {
    throw UsageError("the duration " + quoted(words.duration) + " is of no use", place,
                     "give one that is longer than 0 and ends");
  }
  return setting;
}

void check_sum(const FaultPlan& plan, std::string_view where) {
  std::int64_t sum = 0;
  for (const FaultSetting& setting : plan.settings) sum += setting.parts_per_billion;
  if (sum <= parts_per_one) return;
  throw UsageError("the probabilities of faults of messages are together greater than 1",
                   std::string(where), "a message has at most one of them: lower some");
}

}  // namespace

std::string_view name(FaultKind kind) {
  const auto index = static_cast<std::size_t>(kind);
  return index < kind_names.size() ? kind_names.at(index) : "unknown";
}

std::span<const FaultEntry> fault_table() {
  return entries;
}

bool FaultPlan::is_empty() const {
  return std::ranges::none_of(settings, [](const FaultSetting& one) { return one.is_on; });
}

bool FaultCounts::has_fired() const {
  return std::ranges::any_of(fired, [](std::uint64_t count) { return count > 0; });
}

void FaultCounts::add(const FaultCounts& more) {
  for (std::size_t kind = 0; kind < fault_kind_count; ++kind) {
    possible.at(kind) += more.possible.at(kind);
    fired.at(kind) += more.fired.at(kind);
  }
}

FaultPlan parse_faults(std::string_view text, std::string_view where) {
  FaultPlan plan;
  std::vector<std::string_view> seen;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view item = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    const Words words = words_of(item);
    if (std::find(seen.begin(), seen.end(), words.kind) != seen.end()) {
      throw UsageError(quoted(words.kind) + " is given twice", std::string(where),
                       "leave one of them out");
    }
    seen.push_back(words.kind);
    if (item == unreliable_word) {
      plan.is_unreliable = true;
    } else if (words.kind == resend_word) {
      plan.resend_timeout = parse_duration(words.how_often, std::string(where) + " resend");
    } else {
      const FaultKind kind = kind_of(words.kind, where);
      plan[kind] = setting_of(entry_of(kind), words, where);
    }
  }
  check_sum(plan, where);
  return plan;
}

std::string text(const FaultPlan& plan) {
  std::string result;
  const auto add = [&result](const std::string& item) {
    if (!result.empty()) result += ',';
    result += item;
  };
  for (const FaultEntry& entry : entries) {
    const FaultSetting& setting = plan[entry.kind];
    if (!setting.is_on) continue;
    std::string item(name(entry.kind));
    if (entry.is_of_messages) {
      std::string digits = std::to_string(parts_per_one + setting.parts_per_billion).substr(1);
      const bool is_one = setting.parts_per_billion == parts_per_one;
      digits.erase(digits.find_last_not_of('0') + 1);
      item += is_one ? "=1" : "=0." + digits;
    } else {
      item += "=" + std::to_string(setting.per_run_max);
    }
    const bool is_usual = setting.duration == entry.usual_duration;
    add(is_usual ? item : item + ":" + duration_text(setting.duration));
  }
  if (result.empty()) return result;
  if (plan.is_unreliable) add(std::string(unreliable_word));
  if (plan.resend_timeout != FaultPlan{}.resend_timeout) {
    add(std::string(resend_word) + "=" + duration_text(plan.resend_timeout));
  }
  return result;
}

}  // namespace orrery
