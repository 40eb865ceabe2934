#include "source_quote.hpp"

#include <filesystem>
#include <fstream>

namespace orrery::cli {
namespace {

constexpr std::size_t line_bytes_max = 200;

std::vector<std::string> read_lines(const std::filesystem::path& path) {
  std::vector<std::string> lines;
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

}  // namespace

const std::vector<std::string>& SourceLines::lines_of(const std::string& file) {
  const auto known = files_.find(file);
  if (known != files_.end()) return known->second;
  std::vector<std::string> lines = read_lines(file);
  const bool is_relative = std::filesystem::path(file).is_relative();
  if (lines.empty() && is_relative && !directory_.empty()) {
    lines = read_lines(std::filesystem::path(directory_) / file);
  }
  return files_.emplace(file, std::move(lines)).first->second;
}

std::optional<std::string> SourceLines::line(const std::string& file, std::uint32_t number) {
  if (file.empty() || number == 0) return std::nullopt;
  const std::vector<std::string>& lines = lines_of(file);
  if (number > lines.size()) return std::nullopt;
  std::string text = lines[number - 1];
  text.erase(0, text.find_first_not_of(" \t"));
  while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ') text.pop_back();
  if (text.size() > line_bytes_max) text.resize(line_bytes_max);
  for (char& letter : text) {
    if (static_cast<unsigned char>(letter) < ' ') letter = ' ';
  }
  if (text.empty()) return std::nullopt;
  return text;
}

}  // namespace orrery::cli
