// Bends as lines of a file.
#include <charconv>
#include <cstddef>

#include <fmt/format.h>

#include <orrery/network_model/usage_error.hpp>
#include <orrery/replay_core/bent_runs.hpp>

#include "operation_places.hpp"

namespace orrery {
namespace {

constexpr const char* usage =
    "write lines like 'receive 1.5 takes 3.2' or '1.4 before 2.8'; orrery show LOG --races prints "
    "some";

std::vector<std::string_view> words_of(std::string_view line) {
  constexpr std::string_view blank = " \t\r\v\f";
  std::vector<std::string_view> words;
  for (std::size_t begin = line.find_first_not_of(blank); begin != std::string_view::npos;
       begin = line.find_first_not_of(blank)) {
    line.remove_prefix(begin);
    const std::size_t size = std::min(line.find_first_of(blank), line.size());
    words.push_back(line.substr(0, size));
    line.remove_prefix(size);
  }
  return words;
}

OperationId operation_in(std::string_view word, const std::string& where) {
  OperationId id;
  const char* const end = word.data() + word.size();
  const auto task = std::from_chars(word.data(), end, id.task.value);
  const bool has_point = task.ec == std::errc() && task.ptr != end && *task.ptr == '.';
  if (has_point) {
    const auto number = std::from_chars(task.ptr + 1, end, id.number);
    if (number.ec == std::errc() && number.ptr == end && id.number != 0) return id;
  }
  throw UsageError(fmt::format("'{}' is no operation", word), where,
                   "write the number of its task and its own, like 1.5; orrery show LOG --races "
                   "prints those that race");
}

Bend bend_in(const std::vector<std::string_view>& words, const std::string& where) {
  if (words.size() == 4 && words[0] == "receive" && words[2] == "takes") {
    return {Bend::Kind::takes, operation_in(words[1], where), operation_in(words[3], where), where};
  }
  if (words.size() == 3 && words[1] == "before") {
    return {Bend::Kind::before, operation_in(words[0], where), operation_in(words[2], where),
            where};
  }
  std::string line;
  for (const std::string_view word : words) {
    if (!line.empty()) line += ' ';
    line += word;
  }
  constexpr std::size_t quoted_bytes_max = 60;
  if (line.size() > quoted_bytes_max) line = line.substr(0, quoted_bytes_max) + "...";
  throw UsageError(fmt::format("'{}' says nothing about an order", line), where, usage);
}

}  // namespace

std::string text(const Bend& bend) {
  const std::string first = detail::number_text(bend.first);
  const std::string second = detail::number_text(bend.second);
  return bend.kind == Bend::Kind::takes ? fmt::format("receive {} takes {}", first, second)
                                        : fmt::format("{} before {}", first, second);
}

std::vector<Bend> parse_bends(std::string_view content, const std::string& path) {
  std::vector<Bend> bends;
  std::size_t number = 0;
  while (!content.empty()) {
    const std::size_t end = std::min(content.find('\n'), content.size());
    std::string_view line = content.substr(0, end);
    content.remove_prefix(std::min(end + 1, content.size()));
    ++number;
    line = line.substr(0, line.find('#'));
    const std::vector<std::string_view> words = words_of(line);
    if (!words.empty()) bends.push_back(bend_in(words, fmt::format("{}:{}", path, number)));
  }
  if (bends.empty()) throw UsageError("the file asks for no other order", path, usage);
  return bends;
}

}  // namespace orrery
