// The line of source that a finding speaks of.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace orrery::cli {

/// Reads source files where they still are; files are read once.
class SourceLines {
 public:
  /// `directory` is where to look for relative names besides the current directory; may be empty.
  explicit SourceLines(std::string directory) : directory_(std::move(directory)) {}
  /// The line without its indentation; nothing if the file or the line is not there.
  [[nodiscard]] std::optional<std::string> line(const std::string& file, std::uint32_t number);

 private:
  const std::vector<std::string>& lines_of(const std::string& file);
  std::string directory_;
  std::map<std::string, std::vector<std::string>> files_;
};

}  // namespace orrery::cli
