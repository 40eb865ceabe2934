#include "outside_files.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include <fnmatch.h>
#include <unistd.h>

#include "system_calls.hpp"
#include "told_answers.hpp"

namespace orrery::host {
namespace {

constexpr std::uint64_t outside_device = 78;
constexpr std::size_t made_up_bytes_max = std::size_t{1} << 20U;
constexpr std::size_t directory_bytes = 4096;

std::string content_of(int file) {
  std::string content;
  char part[65536];
  ssize_t bytes = 0;
  while ((bytes = system_calls::read(file, part, sizeof part)) > 0) {
    content.append(part, static_cast<std::size_t>(bytes));
  }
  return content;
}

std::optional<std::string> content_of(const std::string& path) {
  const int file = system_calls::open(path, O_RDONLY);
  if (file < 0) return std::nullopt;
  std::string content = content_of(file);
  system_calls::close(file);
  return content;
}

int file_with(const std::string& content) {
  const int file = system_calls::memory_file("orrery input");
  if (file < 0) return -1;
  std::size_t done = 0;
  while (done < content.size()) {
    const ssize_t bytes = system_calls::write(file, content.data() + done, content.size() - done);
    if (bytes <= 0) break;
    done += static_cast<std::size_t>(bytes);
  }
  system_calls::lseek(file, 0, SEEK_SET);
  return file;
}

std::vector<std::string> sorted_names(const std::string& directory, std::error_code& error) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

void show(const InputFile& file, struct stat& result) {
  result = {};
  result.st_dev = outside_device;
  result.st_ino = hash_input(file.path);
  result.st_mode = file.mode;
  result.st_nlink = 1;
  result.st_uid = getuid();
  result.st_gid = getgid();
  result.st_blksize = 4096;
  result.st_size = static_cast<off_t>(file.bytes);
  result.st_blocks = static_cast<blkcnt_t>((file.bytes + 511) / 512);
  result.st_mtim.tv_sec = file.modified_s;
  result.st_atim = result.st_ctim = result.st_mtim;
}

InputFile look_at(const std::string& path) {
  InputFile file;
  file.path = path;
  struct stat now {};
  if (system_calls::stat(path, now) != 0) return file;
  const bool is_directory = S_ISDIR(now.st_mode);
  file.kind = is_directory           ? InputFile::Kind::directory
              : S_ISREG(now.st_mode) ? InputFile::Kind::file
                                     : InputFile::Kind::other;
  file.mode = now.st_mode;
  file.bytes = is_directory ? directory_bytes : static_cast<std::uint64_t>(now.st_size);
  file.modified_s = is_made_up(path) ? 0 : now.st_mtim.tv_sec;
  return file;
}

bool is_redacted(const InputPolicy& policy, const std::string& name) {
  const std::string last = name.substr(name.rfind('/') + 1);
  return std::any_of(policy.redacted.begin(), policy.redacted.end(), [&](const std::string& each) {
    return fnmatch(each.c_str(), name.c_str(), 0) == 0 ||
           fnmatch(each.c_str(), last.c_str(), 0) == 0;
  });
}

/// Keeps of its content what the policy says.
void keep(InputFile& file, std::string content, const InputPolicy& policy) {
  file.keeping = is_redacted(policy, file.path) ? InputKeeping::none : policy.keeping;
  if (file.keeping == InputKeeping::none) return;
  file.hash = hash_input(content);
  if (file.keeping == InputKeeping::content) file.content = std::move(content);
}

std::string number_key(std::int32_t rank, const char* what) {
  return std::string("=") + what + " " + std::to_string(rank);
}

}  // namespace

bool is_made_up(const std::string& path) {
  return path.starts_with("/proc/") || path.starts_with("/sys/");
}

void OutsideFiles::use_record(const ProgramInputs* record) {
  record_.clear();
  recorded_hosts_.clear();
  clock_origins_.clear();
  recorded_directory_.clear();
  if (record == nullptr) return;
  recorded_directory_ = record->directory;
  for (const auto& [name, value] : record->environment) {
    if (!is_variable(name)) recorded_hosts_[name] = value;
  }
  clock_origins_ = record->clock_origins;
  for (const InputFile& file : record->files) record_[file.path] = &file;
  tape_.set(record->standard_input);  // also if nothing was read: a replay reads none of its own
}

const InputFile* OutsideFiles::recorded(const std::string& path) const {
  const auto found = record_.find(path);
  return found == record_.end() ? nullptr : found->second;
}

bool OutsideFiles::is_above_recorded(const std::string& path) const {
  const std::string below = path + "/";
  if ((recorded_directory_ + "/").starts_with(below)) return true;
  const auto is_below = [&](const auto& one) { return one.first.starts_with(below); };
  for (auto one = record_.lower_bound(below); one != record_.end() && is_below(*one); ++one) {
    if (one->second->kind != InputFile::Kind::absent) return true;
  }
  return false;
}

int OutsideFiles::status(const std::string& path, struct stat& result) {
  notes_.add(InputNotes::Kind::status, path);
  const InputFile* const known = recorded(path);
  InputFile file = known != nullptr ? *known : look_at(path);
  // Directories of the machine that a run was recorded on need not be here.
  if (known == nullptr && file.kind == InputFile::Kind::absent && is_above_recorded(path)) {
    file.kind = InputFile::Kind::directory;
    file.mode = S_IFDIR | 0755;
    file.bytes = directory_bytes;
  }
  if (file.kind == InputFile::Kind::absent) {
    errno = ENOENT;
    return -1;
  }
  show(file, result);
  return 0;
}

int OutsideFiles::open(const std::string& path, int flags) {
  if (is_made_up(path) && (flags & O_ACCMODE) == O_RDONLY && has_told_contents()) {
    if (const auto text = told_text()) return file_with(*text);
  }
  const InputFile* const known = recorded(path);
  if (known != nullptr && known->keeping == InputKeeping::content &&
      known->kind == InputFile::Kind::file) {
    return file_with(known->content);
  }
  if (!is_made_up(path)) {
    notes_.add(InputNotes::Kind::content, path);
    return system_calls::open(path, flags & ~(O_CREAT | O_TRUNC | O_EXCL));
  }
  // It may be another one each time: this one is the run's.
  std::optional<std::string> content = content_of(path);
  if (!content) return -1;
  content->resize(std::min(content->size(), made_up_bytes_max));
  notes_.add(InputNotes::Kind::content, path, *content);
  return file_with(*content);
}

std::optional<std::vector<std::string>> OutsideFiles::names_in(const std::string& directory) {
  notes_.add(InputNotes::Kind::content, directory);
  std::vector<std::string> names;
  const InputFile* const known = recorded(directory);
  if (known != nullptr && known->keeping == InputKeeping::content) {
    for (std::size_t at = 0; at < known->content.size(); at += names.back().size() + 1) {
      names.emplace_back(known->content.c_str() + at);
    }
    return names;
  }
  std::error_code error;
  names = sorted_names(directory, error);
  if (!error) return names;
  errno = error.value();
  return std::nullopt;
}

bool OutsideFiles::may_write(const std::string& path) const {
  if (const InputFile* const known = recorded(path)) {
    return (known->mode & 0222U) != 0 || getuid() == 0;
  }
  if (system_calls::access(path, W_OK) == 0) return true;
  return system_calls::access(path, F_OK) != 0 && is_above_recorded(path);
}

const char* OutsideFiles::host_name(std::int32_t rank, const char* here) {
  const std::string key = "=host " + std::to_string(rank);
  const auto known = recorded_hosts_.find(key);
  const char* const shown = known == recorded_hosts_.end() ? here : known->second.c_str();
  notes_.add(InputNotes::Kind::host, key, shown);
  return shown;
}

std::optional<std::int64_t> OutsideFiles::recorded_number(std::int32_t rank, const char* what) {
  const auto text = recorded_text(rank, what);
  return text ? std::optional<std::int64_t>(std::atoll(text->c_str())) : std::nullopt;
}

std::optional<std::string> OutsideFiles::recorded_text(std::int32_t rank, const char* what) {
  if (recorded_hosts_.empty()) return std::nullopt;
  const std::string key = number_key(rank, what);
  const auto known = recorded_hosts_.find(key);
  if (known == recorded_hosts_.end()) return std::nullopt;
  notes_.add(InputNotes::Kind::host, key, known->second);
  return known->second;
}

void OutsideFiles::note_number(std::int32_t rank, const char* what, std::int64_t number) {
  const std::string key = number_key(rank, what);
  recorded_hosts_[key] = std::to_string(number);
  notes_.add(InputNotes::Kind::host, key, recorded_hosts_[key]);
}

void OutsideFiles::note_for_replay(std::int32_t rank, const char* what, std::int64_t number) {
  if (!next_arena_) return;
  notes_.add(InputNotes::Kind::host, number_key(rank, what), std::to_string(number));
}

char* OutsideFiles::variable_of(std::int32_t rank, const char* name) {
  if (recorded_hosts_.empty()) return nullptr;
  const auto known = recorded_hosts_.find("=of " + std::to_string(rank) + " " + name);
  return known == recorded_hosts_.end() ? nullptr : known->second.data();
}

ProgramInputs OutsideFiles::collect(const InputPolicy& policy) const {
  ProgramInputs inputs;
  std::map<std::string, InputNotes::Note> files;
  std::map<std::string, std::string> variables;
  for (InputNotes::Note& note : notes_.notes()) {
    if (note.kind == InputNotes::Kind::variable) {
      const char* const value = std::getenv(note.name.c_str());
      variables[note.name] = is_redacted(policy, note.name) ? ProgramInputs::redacted
                             : value == nullptr             ? ProgramInputs::unset
                                                            : value;
    } else if (note.kind == InputNotes::Kind::host) {
      variables[note.name] = note.content;
    } else if (InputNotes::Note& kept = files[note.name]; kept.content.empty()) {
      const bool is_content = kept.kind == InputNotes::Kind::content;
      kept = std::move(note);
      if (is_content) kept.kind = InputNotes::Kind::content;
    }
  }
  inputs.environment.assign(variables.begin(), variables.end());
  for (auto& [path, note] : files) {
    InputFile file = look_at(path);
    if (note.kind != InputNotes::Kind::content) {
      file.keeping = InputKeeping::unread;
    } else if (!note.content.empty()) {
      keep(file, std::move(note.content), policy);
    } else if (file.kind == InputFile::Kind::file) {
      std::optional<std::string> content = content_of(path);
      if (content) keep(file, std::move(*content), policy);
    } else if (file.kind == InputFile::Kind::directory) {
      std::error_code error;
      std::string content;
      for (const std::string& name : sorted_names(path, error)) content += name + '\0';
      keep(file, std::move(content), policy);
    }
    inputs.files.push_back(std::move(file));
  }
  inputs.standard_input = tape_.content();
  inputs.has_standard_input = !inputs.standard_input.empty();
  return inputs;
}

}  // namespace orrery::host
