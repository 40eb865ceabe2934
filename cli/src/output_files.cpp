#include "output_files.hpp"

#include <cctype>
#include <filesystem>
#include <fstream>

#include <unistd.h>

namespace orrery::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* unfinished = ".part";

/// `rank 2` and 1 make `rank-2.out`.
std::string file_name(const OutputPiece& piece) {
  std::string name(piece.task);
  for (char& letter : name) {
    const bool is_plain = std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '.';
    if (!is_plain) letter = '-';
  }
  return name + (piece.stream == 2 ? ".err" : ".out");
}

}  // namespace

ProgramOutput::ProgramOutput(const Console& console, const std::optional<std::string>& directory)
    : is_passed_on_(!console.is_json && !directory), directory_(directory.value_or("")) {
  if (directory_.empty()) return;
  std::error_code error;
  if (fs::exists(directory_, error) && !fs::is_directory(directory_, error)) {
    throw UsageError("this is no directory", directory_, "give --output-per-rank a directory");
  }
  fs::create_directories(directory_, error);
  if (!error && access(directory_.c_str(), W_OK | X_OK) != 0) {
    throw UsageError("cannot be written to", directory_,
                     "give --output-per-rank another directory");
  }
  if (error) {
    throw UsageError("cannot be made: " + error.message(), directory_,
                     "give --output-per-rank a directory");
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(directory_)) {
    const std::string suffix = entry.path().extension().string();
    if (suffix != ".out" && suffix != ".err" && suffix != unfinished) continue;
    throw UsageError("already holds output: " + entry.path().filename().string(), directory_,
                     "give --output-per-rank an empty directory");
  }
}

void ProgramOutput::take(const OutputPiece& piece) {
  if (is_passed_on_ && piece.stream == 2) print_err(piece.text);
  if (is_passed_on_ && piece.stream != 2) print_out(piece.text);
  if (directory_.empty()) return;
  const auto name = names_.insert(file_name(piece)).first;
  const fs::path path = fs::path(directory_) / (*name + unfinished);
  std::ofstream file(path, std::ios::app | std::ios::binary);
  file.write(piece.text.data(), static_cast<std::streamsize>(piece.text.size()));
  file.close();
  if (!file) throw UsageError("cannot be written", path.string(), "make room on the disk");
}

void ProgramOutput::finish() {
  for (const std::string& name : names_) {
    const fs::path path = fs::path(directory_) / name;
    std::error_code error;
    fs::rename(path.string() + unfinished, path, error);
    if (error) throw UsageError(error.message(), path.string(), "make room on the disk");
  }
  names_.clear();
}

}  // namespace orrery::cli
