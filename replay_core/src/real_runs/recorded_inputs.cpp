#include "recorded_inputs.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fnmatch.h>

#include <orrery/replay_core/thread_spool.hpp>

#include "log/whole_file.hpp"

namespace orrery::detail {
namespace {

namespace fs = std::filesystem;
using rank_spool::NoteKind;

struct RankNote {
  rank_spool::Note note{};
  std::uint32_t rank = 0;
  std::string name;
  std::string value;
};

std::string text_of(const fs::path& path) {
  std::error_code error;
  if (!fs::exists(path, error)) return {};
  const std::vector<std::byte> bytes = read_whole_file(path.string());
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// A rank that was killed may have left half of the last one.
void read_notes(const fs::path& path, std::uint32_t rank, std::vector<RankNote>& notes) {
  const std::string text = text_of(path);
  for (std::size_t at = 0; at + sizeof(rank_spool::Note) <= text.size();) {
    RankNote one;
    one.rank = rank;
    std::memcpy(&one.note, text.data() + at, sizeof one.note);
    at += sizeof one.note;
    if (one.note.name_bytes > text.size() - at) return;
    one.name = text.substr(at, one.note.name_bytes);
    at += one.note.name_bytes;
    if (one.note.value_bytes > text.size() - at) return;
    one.value = text.substr(at, one.note.value_bytes);
    at += one.note.value_bytes;
    notes.push_back(std::move(one));
  }
}

bool is_made_up(const std::string& path) {
  return path.starts_with("/proc/") || path.starts_with("/sys/");
}

bool is_redacted(const InputPolicy& policy, const std::string& path) {
  const std::string last = path.substr(path.rfind('/') + 1);
  return std::any_of(policy.redacted.begin(), policy.redacted.end(), [&](const std::string& each) {
    return fnmatch(each.c_str(), path.c_str(), 0) == 0 ||
           fnmatch(each.c_str(), last.c_str(), 0) == 0;
  });
}

/// A file, by what the ranks have noted of it one after the other.
class NotedFile {
 public:
  void add(const RankNote& one) {
    if (!is_known_) {
      file_.path = one.name;
      file_.kind = static_cast<InputFile::Kind>(
          std::min(one.note.file_kind, static_cast<std::uint32_t>(InputFile::Kind::other)));
      file_.mode = one.note.mode;
      file_.bytes = one.note.bytes;
      file_.modified_s = one.note.modified_s;
      is_known_ = true;
    }
    is_read_ = is_read_ || (one.note.kind == NoteKind::content && !is_replaced_);
    is_replaced_ = is_replaced_ || one.note.kind == NoteKind::replaced;
  }

  [[nodiscard]] InputFile take(const std::string& directory, const InputPolicy& policy) {
    file_.keeping = InputKeeping::unread;
    const bool has_content =
        file_.kind == InputFile::Kind::file || file_.kind == InputFile::Kind::directory;
    if (!is_read_ || !has_content) return std::move(file_);
    if (policy.keeping == InputKeeping::none || is_redacted(policy, file_.path)) {
      file_.keeping = InputKeeping::none;
      return std::move(file_);
    }
    const std::string name =
        fmt::format("{}{:016x}", rank_spool::content_file_prefix, hash_input(file_.path));
    keep(text_of(fs::path(directory) / name), policy);
    return std::move(file_);
  }

 private:
  void keep(std::string text, const InputPolicy& policy) {
    if (policy.keeping == InputKeeping::hash) {
      if (text.size() != sizeof file_.hash) return;
      std::memcpy(&file_.hash, text.data(), sizeof file_.hash);
      file_.keeping = InputKeeping::hash;
      return;
    }
    // Otherwise the rank was killed while it kept the content.
    const bool is_whole = file_.kind == InputFile::Kind::directory || is_made_up(file_.path) ||
                          text.size() == file_.bytes;
    if (!is_whole) return;
    file_.keeping = InputKeeping::content;
    file_.hash = hash_input(text);
    file_.content = std::move(text);
  }

  InputFile file_;
  bool is_known_ = false;
  bool is_read_ = false;
  bool is_replaced_ = false;
};

/// A variable has one value in a simulated job; where the ranks had several, each has its own
/// besides.
void add_variables(const std::vector<RankNote>& notes, ProgramInputs& inputs) {
  std::map<std::string, std::map<std::uint32_t, std::string>> variables;
  for (const RankNote& one : notes) {
    if (one.note.kind == NoteKind::variable) variables[one.name][one.rank] = one.value;
  }
  for (const auto& [name, values] : variables) {
    const std::string& first = values.begin()->second;
    inputs.environment.emplace_back(name, first);
    const bool are_equal = std::all_of(values.begin(), values.end(),
                                       [&first](const auto& one) { return one.second == first; });
    if (are_equal) continue;
    for (const auto& [rank, value] : values) {
      if (value != ProgramInputs::unset)
        inputs.environment.emplace_back(fmt::format("=of {} {}", rank, name), value);
    }
  }
}

void add_standard_input(const std::string& directory, RecordedJob& job) {
  std::vector<std::uint32_t> readers;
  std::string text;
  const fs::path launchers = fs::path(directory) / rank_spool::standard_input_file;
  for (const RecordedRank& rank : job.ranks) {
    if (!rank.has_read_standard_input) continue;
    if (rank.standard_input == rank_spool::StandardInput::none) continue;
    const bool is_file = rank.standard_input == rank_spool::StandardInput::file;
    fs::path own = launchers;
    if (is_file) own += fmt::format("-{}", rank.rank);
    std::error_code error;
    if (!fs::exists(own, error)) {
      const bool is_sure = rank.end == rank_spool::End::finalized;
      job.has_lost_standard_input = job.has_lost_standard_input || (is_sure && !is_file);
      continue;
    }
    if (text.empty()) text = text_of(own);
    readers.push_back(rank.rank);
  }
  if (readers.empty() || text.empty()) return;
  job.inputs.has_standard_input = true;
  job.inputs.standard_input = std::move(text);
  job.inputs.standard_input_rank =
      readers.size() == 1 ? static_cast<std::int32_t>(readers.front()) : ProgramInputs::every_rank;
}

/// Programs hash their threads' handles and numbers, or print them, and sort by where their blocks
/// lie.  A
/// thread is its starter's how many-th.
void add_threads(const InputPolicy& policy, RecordedJob& job) {
  const bool are_contents_kept = policy.keeping == InputKeeping::content && policy.redacted.empty();
  const bool has_cancellations = (job.thread_gaps & thread_spool::cancellation) != 0;
  if (has_cancellations) job.inputs.environment.emplace_back("=cancellations 0", "1");
  std::vector<std::string> paths;
  std::vector<std::uint32_t> started(job.threads.size());
  for (const RecordedThread& thread : job.threads) {
    const bool is_first = thread.number == 0;
    paths.push_back(
        is_first ? "0"
                 : fmt::format("{}.{}", paths.at(thread.starter), started.at(thread.starter)++));
    const auto add = [&](const char* what, std::uint64_t number) {
      job.inputs.environment.emplace_back(fmt::format("={} {} 0", what, paths.back()),
                                          std::to_string(static_cast<std::int64_t>(number)));
    };
    if (has_cancellations && thread.cancelled_at != 0) add("cancelled", thread.cancelled_at);
    if (thread.has_arena) add("arena", thread.number);
    if (thread.has_arena) add("arenas-grow", 1);
    if (thread.are_blocks_told) add("blocks", 1);
    add("signals", 1);
    if (thread.system_number != 0) add("number", thread.system_number);
    if (thread.handlers > 0) add("handlers", thread.handlers);
    add("answers", are_contents_kept ? 2 : 1);
    if (job.threads.size() == 1) continue;
    add("sequences", 1);
    add("transfers", 1);
    if (thread.handle != 0) add("thread", thread.handle);
  }
}

}  // namespace

void read_recorded_inputs(const std::string& directory, const InputPolicy& policy,
                          RecordedJob& job) {
  std::vector<RankNote> notes;
  for (const RecordedRank& rank : job.ranks) {
    const std::string name = fmt::format("{}{}", rank_spool::inputs_file_prefix, rank.rank);
    if (rank.is_there) read_notes(fs::path(directory) / name, rank.rank, notes);
  }
  std::stable_sort(notes.begin(), notes.end(), [](const RankNote& one, const RankNote& other) {
    return one.note.time_ns < other.note.time_ns;
  });
  std::map<std::string, NotedFile> files;
  for (const RankNote& one : notes) {
    if (one.note.kind != NoteKind::variable) files[one.name].add(one);
  }
  ProgramInputs& inputs = job.inputs;
  for (auto& [path, file] : files) inputs.files.push_back(file.take(directory, policy));
  add_variables(notes, inputs);
  bool has_dates = false;
  for (const RecordedRank& rank : job.ranks) {
    const auto add = [&inputs, &rank](const char* what, const std::string& value) {
      inputs.environment.emplace_back(fmt::format("={} {}", what, rank.rank), value);
    };
    if (!rank.host_name.empty()) add("host", rank.host_name);
    if (rank.process_number) add("process", std::to_string(*rank.process_number));
    if (rank.processor_count) add("processors", std::to_string(*rank.processor_count));
    if (rank.own_processor_count) {
      add("own-processors", std::to_string(*rank.own_processor_count));
    }
    has_dates = has_dates || rank.readings.date_count() > 0;
  }
  add_threads(policy, job);
  for (const RecordedThread& thread : job.threads) {
    has_dates = has_dates || thread.readings.date_count() > 0;
  }
  std::sort(inputs.environment.begin(), inputs.environment.end());
  for (const RecordedRank& rank : job.ranks) {
    if (has_dates) inputs.clock_origins.push_back(rank.clock_origins);
  }
  inputs.directory = job.directory;
  add_standard_input(directory, job);
}

}  // namespace orrery::detail
