// Tables as files that other programs read.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::bench {

/// Collects lines of a table with a header; `write` puts the file in place as a whole.
///
///     Csv csv("kernel,seconds");
///     csv.add({"lu", "0.5"});
///     csv.write("docs/plots/recplay-costs.csv");
class Csv {
 public:
  explicit Csv(std::string_view header) : text_(std::string(header) + "\n") {}
  /// Fields that need no quotes.
  void add(const std::vector<std::string>& fields);
  /// Throws `UsageError` if the file cannot be written.
  void write(const std::filesystem::path& path) const;

 private:
  std::string text_;
};

/// Writes a file as a whole; throws `UsageError` if it cannot be written.
void write_whole(const std::filesystem::path& path, std::string_view content);

}  // namespace orrery::bench
