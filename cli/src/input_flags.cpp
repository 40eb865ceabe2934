#include "input_flags.hpp"

#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <unistd.h>

#include <orrery/network_model/suggestion.hpp>
#include <orrery/network_model/usage_error.hpp>

namespace orrery::cli {
namespace {

InputKeeping keeping_of(const std::string& name) {
  if (name == "content") return InputKeeping::content;
  if (name == "hash") return InputKeeping::hash;
  if (name == "none") return InputKeeping::none;
  throw UsageError("'" + name + "' is no way to keep inputs", "--input",
                   name_hint(name, {"content", "hash", "none"}));
}

std::int32_t reading_rank(const std::string& text, std::uint32_t ranks) {
  if (text == "none") return ProgramInputs::no_rank;
  if (text == "all") return ProgramInputs::every_rank;
  std::int32_t rank = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rank);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  if (is_number && rank >= 0 && static_cast<std::uint32_t>(rank) < ranks) return rank;
  throw UsageError("'" + text + "' is no rank of this run", "--stdin-to",
                   fmt::format("give a rank from 0 to {}, none or all", ranks - 1));
}

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

void InputFlags::declare_keeping(Flags& flags) {
  flags.text("--input", keeping_, "HOW",
             "what logs keep of files that a program reads: content, hash, none (content)");
  flags.text("--redact", redacted_, "PATTERN,...",
             "files and variables whose content logs leave out, as in *.key,*TOKEN*");
}

void InputFlags::declare(Flags& flags) {
  declare_keeping(flags);
  flags.text("--stdin-to", standard_input_to_, "RANK|none|all", "who reads the standard input (0)");
}

void InputFlags::apply(const FoundProgram& program) const {
  if (!standard_input_to_) return;
  if (program.image == nullptr) {
    throw UsageError("a built-in scenario reads no standard input", "--stdin-to", "leave it out");
  }
  program.image->give_standard_input(
      reading_rank(*standard_input_to_, program.image->rank_count()));
}

InputPolicy InputFlags::policy() const {
  InputPolicy policy;
  if (keeping_) policy.keeping = keeping_of(*keeping_);
  const std::string patterns = redacted_.value_or("");
  for (std::size_t begin = 0; begin < patterns.size();) {
    const std::size_t end = std::min(patterns.find(',', begin), patterns.size());
    if (end > begin) policy.redacted.push_back(patterns.substr(begin, end - begin));
    begin = end + 1;
  }
  return policy;
}

void keep_files(const FoundProgram& program, const std::optional<std::string>& directory) {
  if (!directory) return;
  if (program.image == nullptr) {
    throw UsageError("a built-in scenario writes no files", "--keep-files", "leave it out");
  }
  std::error_code error;
  std::filesystem::create_directories(*directory, error);
  if (error || access(directory->c_str(), W_OK) != 0) {
    throw UsageError("'" + *directory + "' is no directory that can be written to", "--keep-files",
                     "name another one");
  }
  program.image->keep_files(*directory);
}

std::string use_inputs(const FoundProgram& program, const SavedRun& saved,
                       const std::string& log_path) {
  if (program.image == nullptr) return {};
  std::string changed;
  for (const InputFile& file : saved.inputs.files) {
    if (file.kind != InputFile::Kind::file) continue;
    const bool is_needed = file.keeping == InputKeeping::none || file.keeping == InputKeeping::hash;
    if (is_needed && access(file.path.c_str(), R_OK) != 0) {
      throw UsageError("the log leaves out what was in '" + file.path + "', which is not here",
                       log_path, "put the file there, as it was");
    }
    if (file.keeping == InputKeeping::hash && changed.empty() &&
        hash_input(content_of(file.path)) != file.hash) {
      changed = "the program has read '" + file.path + "', which is no longer what it was";
    }
  }
  for (const auto& [name, value] : saved.inputs.environment) {
    if (value != ProgramInputs::redacted || getenv(name.c_str()) != nullptr) continue;
    throw UsageError(
        "the log leaves out the value of the variable '" + name + "', which is not set", log_path,
        "set it to what it was");
  }
  program.image->use_inputs(saved.inputs);
  return changed;
}

void use_unchanged_inputs(const FoundProgram& program, const SavedRun& saved,
                          const std::string& log_path) {
  const std::string changed = use_inputs(program, saved, log_path);
  if (!changed.empty()) {
    throw UsageError(changed, log_path, "put it back, or record the run again");
  }
}

}  // namespace orrery::cli
