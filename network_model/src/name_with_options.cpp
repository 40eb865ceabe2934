#include <algorithm>
#include <array>
#include <charconv>

#include <orrery/network_model/duration_text.hpp>
#include <orrery/network_model/name_with_options.hpp>
#include <orrery/network_model/suggestion.hpp>
#include <orrery/network_model/usage_error.hpp>

#include "decimal.hpp"
#include "quoted.hpp"

namespace orrery {
namespace {

using detail::quoted;

// Cuts `text` at the first `mark`, and returns what was before it.
std::string_view cut(std::string_view& text, char mark) {
  const std::size_t end = std::min(text.find(mark), text.size());
  const std::string_view front = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return front;
}

bool all_digits(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

NameWithOptions NameWithOptions::parse(std::string_view text, std::string_view where) {
  NameWithOptions result;
  result.where_ = where;
  std::string_view left = text;
  result.name_ = cut(left, ':');
  if (result.name_.empty()) {
    throw UsageError("a name is missing in " + quoted(text), result.where_,
                     "write NAME or NAME:key=value,...");
  }
  std::string_view number = left.substr(0, left.find(':'));
  if (all_digits(number)) {
    result.count_ = parse_whole_number(number, where);
    cut(left, ':');
  }
  result.add_options(left);
  return result;
}

NameWithOptions NameWithOptions::parse_path(std::string_view text, std::string_view where) {
  constexpr std::string_view key_letters = "abcdefghijklmnopqrstuvwxyz_";
  NameWithOptions result;
  result.where_ = where;
  for (std::size_t colon = text.find(':'); colon != std::string_view::npos;
       colon = text.find(':', colon + 1)) {
    const std::size_t key_end = text.find_first_not_of(key_letters, colon + 1);
    if (key_end == std::string_view::npos || key_end == colon + 1 || text[key_end] != '=') continue;
    result.name_ = text.substr(0, colon);
    result.add_options(text.substr(colon + 1));
    return result;
  }
  result.name_ = text;
  return result;
}

void NameWithOptions::add_options(std::string_view list) {
  while (!list.empty()) {
    const std::string_view option = cut(list, ',');
    const std::size_t equals = option.find('=');
    if (equals == std::string_view::npos || equals == 0 || equals + 1 == option.size()) {
      throw UsageError(quoted(option) + " after " + quoted(name_) + " is not an option", where_,
                       "write options as key=value, with commas between them");
    }
    const std::string_view key = option.substr(0, equals);
    if (text(key)) {
      throw UsageError("the option " + quoted(key) + " is given twice", where_,
                       "leave one of them out");
    }
    options_.push_back({std::string(key), std::string(option.substr(equals + 1))});
  }
}

std::optional<std::string> NameWithOptions::text(std::string_view key) const {
  const auto found = std::find_if(options_.begin(), options_.end(),
                                  [key](const Option& option) { return option.key == key; });
  if (found == options_.end()) return std::nullopt;
  return found->value;
}

std::vector<std::string> NameWithOptions::keys() const {
  std::vector<std::string> result;
  for (const Option& option : options_) result.push_back(option.key);
  return result;
}

void NameWithOptions::allow_keys(std::initializer_list<std::string_view> keys) const {
  for (const Option& option : options_) {
    if (std::find(keys.begin(), keys.end(), option.key) != keys.end()) continue;
    const std::vector<std::string> names(keys.begin(), keys.end());
    throw UsageError(quoted(name_) + " has no option " + quoted(option.key), where_,
                     names.empty() ? "it takes no options" : name_hint(option.key, names));
  }
}

void NameWithOptions::allow_no_count() const {
  if (!count_) return;
  throw UsageError(quoted(name_) + " takes no bare number, but has " + std::to_string(*count_),
                   where_, "write options as key=value");
}

std::string NameWithOptions::place(std::string_view key) const {
  const std::string option = name_ + ":" + std::string(key);
  return where_.empty() ? option : where_ + " " + option;
}

std::uint64_t NameWithOptions::whole_number(std::string_view key, std::uint64_t otherwise,
                                            std::uint64_t least, std::uint64_t most) const {
  const auto value = text(key);
  return value ? parse_whole_number(*value, place(key), least, most) : otherwise;
}

VirtualDuration NameWithOptions::duration(std::string_view key, VirtualDuration otherwise) const {
  const auto value = text(key);
  return value ? parse_duration(*value, place(key)) : otherwise;
}

std::uint64_t NameWithOptions::bytes_per_second(std::string_view key,
                                                std::uint64_t otherwise) const {
  const auto value = text(key);
  return value ? parse_bytes_per_second(*value, place(key)) : otherwise;
}

std::uint64_t parse_whole_number(std::string_view text, std::string_view where, std::uint64_t least,
                                 std::uint64_t most) {
  if (!all_digits(text)) {
    throw UsageError(quoted(text) + " is not a whole number", std::string(where),
                     "write it in digits, without sign, point or unit");
  }
  std::uint64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec == std::errc() && value >= least && value <= most) return value;
  throw UsageError(std::string(text) + " is out of range", std::string(where),
                   "give a number from " + std::to_string(least) + " to " + std::to_string(most));
}

std::uint64_t parse_size(std::string_view text, std::string_view where, std::uint64_t least,
                         std::uint64_t most) {
  struct Unit {
    std::string_view name;
    std::uint64_t bytes;
  };
  constexpr std::array<Unit, 7> units{{{"", 1},
                                       {"B", 1},
                                       {"kB", 1'000},
                                       {"MB", 1'000'000},
                                       {"KiB", 1'024},
                                       {"MiB", 1'048'576},
                                       {"GiB", 1'073'741'824}}};
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const auto unit = std::ranges::find(units, text.substr(digits), &Unit::name);
  if (digits == 0 || unit == units.end()) {
    throw UsageError(quoted(text) + " is not a size", std::string(where),
                     "write a number of bytes, KiB, MiB or GiB, as in 64MiB");
  }
  const std::uint64_t count =
      parse_whole_number(text.substr(0, digits), where, 0, UINT64_MAX / unit->bytes);
  return parse_whole_number(std::to_string(count * unit->bytes), where, least, most);
}

std::uint64_t parse_bytes_per_second(std::string_view text, std::string_view where) {
  if (text == "infinity" || text == "inf") return 0;
  constexpr std::string_view advice = "write bytes per second, as in 125M, 1.25GB/s or infinity";
  const auto number = detail::split_decimal(text);
  if (!number) {
    throw UsageError(quoted(text) + " is not a bandwidth", std::string(where), std::string(advice));
  }
  std::string_view suffix = number->rest;
  std::int64_t unit = 1;
  if (!suffix.empty() &&
      (suffix.front() == 'k' || suffix.front() == 'M' || suffix.front() == 'G')) {
    unit = suffix.front() == 'k' ? 1'000 : suffix.front() == 'M' ? 1'000'000 : 1'000'000'000;
    suffix.remove_prefix(1);
  }
  if (!suffix.empty() && suffix != "B/s") {
    throw UsageError(
        "the bandwidth " + quoted(text) + " has an unknown unit " + quoted(number->rest),
        std::string(where), std::string(advice));
  }
  const detail::Scaled scaled = detail::scale(*number, unit);
  if (scaled.fault == detail::ScaleFault::none && scaled.value > 0) {
    return static_cast<std::uint64_t>(scaled.value);
  }
  throw UsageError("the bandwidth " + quoted(text) + " is not a whole number of bytes per second " +
                       "from 1 to 2^63 - 1",
                   std::string(where), std::string(advice));
}

}  // namespace orrery
