#include "user_files.hpp"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <string_view>

#include <unistd.h>

#include "interposed/refused_call.hpp"
#include "shared_file.hpp"
#include "special_files.hpp"
#include "stream_files.hpp"
#include "system_calls.hpp"

namespace orrery::host {
namespace {

using Entry = FileOverlay::Entry;

std::shared_ptr<OpenFile> none(int error) {
  errno = error;
  return nullptr;
}

bool writes(int flags) {
  return (flags & O_ACCMODE) != O_RDONLY || (flags & O_TRUNC) != 0;
}

std::string parent_of(const std::string& path) {
  const std::size_t end = path.rfind('/');
  return end == 0 || end == std::string::npos ? "/" : path.substr(0, end);
}

bool is_dots(std::string_view name) {
  return name == "." || name == "..";
}

bool copy_all(int from, int to) {
  char part[65536];
  ssize_t bytes = 0;
  while ((bytes = system_calls::read(from, part, sizeof part)) > 0) {
    if (system_calls::write(to, part, static_cast<std::size_t>(bytes)) != bytes) return false;
  }
  return bytes == 0;
}

}  // namespace

// --- descriptors --------------------------------------------------------------------------------

int ProcessFiles::add(std::shared_ptr<OpenFile> file, bool closes_on_exec, int least) {
  if (least < 0 || least >= descriptors_max) return fail(EINVAL);
  auto number = static_cast<std::size_t>(least);
  while (number < descriptors.size() && descriptors[number].file != nullptr) ++number;
  if (number >= descriptors_max) return fail(EMFILE);
  put(static_cast<int>(number), {std::move(file), closes_on_exec});
  return static_cast<int>(number);
}

void ProcessFiles::put(int number, Descriptor descriptor) {
  const auto index = static_cast<std::size_t>(number);
  if (index >= descriptors.size()) descriptors.resize(index + 1);
  descriptors[index] = std::move(descriptor);
}

// --- runs ---------------------------------------------------------------------------------------

UserFiles& user_files() {
  static UserFiles files;
  return files;
}

std::shared_ptr<OpenFile> open_file(int number) {
  const ProcessFiles& own = user_files().of(running().user->rank());
  if (own.at(number) != nullptr) return own.descriptors[static_cast<std::size_t>(number)].file;
  errno = EBADF;
  return nullptr;
}

int close_file(int number) {
  return replace_file(number, {});
}

int replace_file(int number, ProcessFiles::Descriptor descriptor) {
  auto former = open_file(number);
  if (former == nullptr) return -1;
  const EndTurn turn(*former);
  bool has_others = false;
  {
    const FilesCall call;
    call.own().put(number, std::move(descriptor));
    has_others = call.own().leads_to(*former);
  }
  if (WatchedFile* const watched = has_others ? nullptr : former->watched()) {
    leave_epoll_lists(*watched);
  }
  former.reset();  // it ends, if it does, outside of the call: somebody may wait for that
  return 0;
}

void UserFiles::use_record(const ProgramInputs* record) {
  outside_.use_record(record);
  directory_ = record == nullptr ? std::string() : record->directory;
  standard_input_rank_ = record == nullptr ? 0 : record->standard_input_rank;
  variables_.clear();
  if (record == nullptr) return;
  std::map<std::string, std::string> variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string whole = *entry;
    variables[whole.substr(0, whole.find('='))] = whole;
  }
  for (const auto& [name, value] : record->environment) {
    if (value == ProgramInputs::redacted || !is_variable(name)) continue;
    variables.erase(name);
    if (value != ProgramInputs::unset) variables[name] = name + "=" + value;
  }
  for (auto& [name, whole] : variables) variables_.push_back(std::move(whole));
}

ProgramInputs UserFiles::inputs(const InputPolicy& policy) const {
  ProgramInputs inputs = outside_.collect(policy);
  inputs.standard_input_rank = standard_input_rank_;
  inputs.directory = directory_.empty() ? std::filesystem::current_path().string() : directory_;
  return inputs;
}

// What a program changes of it is gone with the run: the C library copies the list before it does.
void UserFiles::begin_environment() {
  former_environment_ = environ;
  if (variables_.empty()) {
    for (char** entry = environ; *entry != nullptr; ++entry) variables_.emplace_back(*entry);
  }
  environment_.clear();
  for (std::string& variable : variables_) environment_.push_back(variable.data());
  environment_.push_back(nullptr);
  environ = environment_.data();
}

void UserFiles::keep_in(const std::string& directory) {
  if (directory.empty()) return overlay_.keep_in({}, {});
  overlay_.keep_in(std::filesystem::absolute(directory).lexically_normal(),
                   std::filesystem::current_path());
}

void UserFiles::begin_run(std::uint32_t ranks, bool are_apart) {
  end_run();
  overlay_.keep_ranks_apart(are_apart);
  begin_environment();
  if (here_.empty()) here_ = std::filesystem::current_path().string();  // it stays
  processes_.resize(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    ProcessFiles& process = processes_[rank];
    process.directory = directory_.empty() ? here_ : directory_;
    const bool has_input = standard_input_rank_ == ProgramInputs::every_rank ||
                           static_cast<std::int64_t>(rank) == standard_input_rank_;
    process.put(0, {make_standard_input(has_input ? &outside_.tape() : nullptr)});
    process.put(1, {make_standard_output(1)});
    process.put(2, {make_standard_output(2)});
  }
}

void UserFiles::end_run() {
  for (ProcessFiles& process : processes_) discard_streams(process);
  processes_.clear();
  overlay_.clear();
  if (former_environment_ != nullptr) environ = std::exchange(former_environment_, nullptr);
}

// --- paths --------------------------------------------------------------------------------------

std::string UserFiles::absolute(int directory, const char* path, Links links) {
  std::string whole = whole_path(directory, path);
  return whole.empty() ? whole : overlay_.resolve(std::move(whole), links == Links::keep_last);
}

std::string UserFiles::whole_path(int directory, const char* path) {
  if (path == nullptr || *path == '\0') {
    fail(path == nullptr ? EFAULT : ENOENT);
    return {};
  }
  if (*path == '/') {
    std::string whole = std::filesystem::path(path).lexically_normal().string();
    if (whole.size() > 1 && whole.ends_with('/')) whole.pop_back();
    return whole;
  }
  std::string from = own().directory;
  if (directory != AT_FDCWD) {
    const OpenFile* const file = own().at(directory);
    if (file == nullptr || *file->directory_path() == '\0') {
      fail(file == nullptr ? EBADF : ENOTDIR);
      return {};
    }
    from = file->directory_path();
  }
  return whole_path(AT_FDCWD, (from + "/" + path).c_str());
}

bool UserFiles::is_directory(const std::string& path) {
  if (const Entry* const entry = overlay_.find(path)) {
    return entry->kind == Entry::Kind::directory;
  }
  struct stat status {};
  return outside_.status(path, status) == 0 && S_ISDIR(status.st_mode);
}

int UserFiles::check_parent(const std::string& path) {
  const std::string parent = parent_of(path);
  if (!is_directory(parent)) return fail(ENOENT);
  if (overlay_.find(parent) == nullptr && !outside_.may_write(parent)) return fail(EACCES);
  return 0;
}

int UserFiles::status(const std::string& path, struct stat& result) {
  const Entry* const entry = overlay_.find(path);
  if (entry != nullptr && entry->is_lost) overlay_.note_lost(path);
  return look_at(path, result);
}

int UserFiles::look_at(const std::string& path, struct stat& result) {
  const Entry* const entry = overlay_.find(path);
  if (entry == nullptr) return outside_.status(path, result);
  if (entry->kind == Entry::Kind::absent) return fail(ENOENT);
  overlay_.describe(*entry, result);
  return 0;
}

int UserFiles::access(const std::string& path, int mode) {
  struct stat found {};
  if (look_at(path, found) != 0) return -1;
  if (getuid() == 0 && ((mode & X_OK) == 0 || S_ISDIR(found.st_mode))) return 0;
  if ((mode & R_OK) != 0 && (found.st_mode & 0444U) == 0) return fail(EACCES);
  if ((mode & W_OK) != 0 && overlay_.find(path) == nullptr && !outside_.may_write(path)) {
    return fail(EACCES);
  }
  if ((mode & X_OK) != 0 && (found.st_mode & 0111U) == 0) return fail(EACCES);
  return 0;
}

// --- opening ------------------------------------------------------------------------------------

std::shared_ptr<OpenFile> UserFiles::open_entry(const std::string& path, Entry& entry, int flags) {
  if (entry.is_lost) {
    if ((flags & O_TRUNC) == 0) overlay_.note_lost(path);
    if (!overlay_.begin_anew(entry)) return nullptr;
  }
  struct stat shown {};
  overlay_.describe(entry, shown);
  const int descriptor = overlay_.open(entry, flags);
  if (descriptor < 0) return nullptr;
  return std::make_shared<SystemFile>(descriptor, flags, shown);
}

std::shared_ptr<OpenFile> UserFiles::open_nameless(int flags) {
  const int descriptor = system_calls::memory_file("orrery temporary file");
  if (descriptor < 0) return nullptr;
  struct stat shown {};
  shown.st_mode = S_IFREG | 0600;
  shown.st_blksize = 4096;
  return std::make_shared<SystemFile>(descriptor, flags, shown);
}

Entry* UserFiles::new_file(const std::string& path, mode_t mode) {
  if (check_parent(path) != 0) return nullptr;
  return overlay_.make_file(path, mode & ~own().mask);
}

Entry* UserFiles::own_copy(const std::string& path, bool keeps_content) {
  Entry* const entry = overlay_.find(path);
  if (entry != nullptr) {
    if (entry->kind != Entry::Kind::file)
      fail(entry->kind == Entry::Kind::absent ? ENOENT : EISDIR);
    return entry->kind == Entry::Kind::file ? entry : nullptr;
  }
  struct stat found {};
  if (outside_.status(path, found) != 0) return nullptr;
  if (!S_ISREG(found.st_mode) || !outside_.may_write(path)) {
    fail(S_ISDIR(found.st_mode) ? EISDIR : EACCES);
    return nullptr;
  }
  const int from = keeps_content ? outside_.open(path, O_RDONLY) : -1;
  if (keeps_content && from < 0) return nullptr;
  Entry* const copy = overlay_.make_file(path, found.st_mode);
  if (copy != nullptr) copy->modified_ns = std::int64_t{found.st_mtim.tv_sec} * 1'000'000'000;
  const bool is_whole = copy == nullptr || from < 0 || copy_all(from, copy->descriptor);
  if (from >= 0) system_calls::close(from);
  if (!is_whole) fail(ENOSPC);
  return is_whole ? copy : nullptr;
}

std::shared_ptr<OpenFile> UserFiles::open_device(const std::string& path, int flags) {
  if (path == "/dev/urandom" || path == "/dev/random") return make_random_device(flags);
  if (path == "/dev/tty") return none(ENXIO);
  int number = -1;
  if (path == "/dev/stdin") number = 0;
  if (path == "/dev/stdout") number = 1;
  if (path == "/dev/stderr") number = 2;
  for (const std::string_view prefix : {"/dev/fd/", "/proc/self/fd/"}) {
    if (path.starts_with(prefix)) number = std::atoi(path.c_str() + prefix.size());
  }
  if (number < 0) return nullptr;
  if (own().at(number) == nullptr) return none(ENOENT);
  return own().descriptors[static_cast<std::size_t>(number)].file;
}

std::shared_ptr<OpenFile> UserFiles::open_outside(const std::string& path, int flags,
                                                  const struct stat& status) {
  if (S_ISDIR(status.st_mode)) {
    if (writes(flags)) return none(EISDIR);
    return std::make_shared<DirectoryFile>(path, flags, status);
  }
  if ((flags & O_DIRECTORY) != 0) return none(ENOTDIR);
  const bool is_plain_device = path == "/dev/null" || path == "/dev/zero" || path == "/dev/full";
  if (!S_ISREG(status.st_mode) && !is_plain_device) {
    refuse_call("open() of '" + path + "', at whose other end is something outside of the machine",
                "give the program a file, or a pipe between its own threads");
    return none(ENXIO);
  }
  const int descriptor = is_plain_device ? system_calls::open(path, flags & ~(O_CREAT | O_EXCL))
                                         : outside_.open(path, flags);
  if (descriptor < 0) return nullptr;
  return std::make_shared<SystemFile>(descriptor, flags, status);
}

std::shared_ptr<OpenFile> UserFiles::open(const std::string& path, int flags, mode_t mode) {
  errno = 0;
  if (auto device = open_device(path, flags); device != nullptr || errno != 0) return device;
  if ((flags & O_TMPFILE) == O_TMPFILE) return open_nameless(flags & ~O_TMPFILE);
  struct stat found {};
  const bool is_there = look_at(path, found) == 0;
  if (is_there && (flags & O_CREAT) != 0 && (flags & O_EXCL) != 0) return none(EEXIST);
  if (!is_there) {
    if (errno != ENOENT || (flags & O_CREAT) == 0) return nullptr;
    Entry* const entry = new_file(path, mode);
    return entry == nullptr ? nullptr : open_entry(path, *entry, flags);
  }
  Entry* entry = overlay_.find(path);
  if (S_ISLNK(found.st_mode)) return none(ELOOP);
  if (entry != nullptr && entry->kind == Entry::Kind::directory) {
    if (writes(flags)) return none(EISDIR);
    return std::make_shared<DirectoryFile>(path, flags, found);
  }
  if (entry == nullptr && (!writes(flags) || !S_ISREG(found.st_mode))) {
    return open_outside(path, flags, found);
  }
  entry = own_copy(path, (flags & O_TRUNC) == 0);
  return entry == nullptr ? nullptr : open_entry(path, *entry, flags);
}

// --- changes ------------------------------------------------------------------------------------

int UserFiles::unlink(const std::string& path) {
  struct stat found {};
  if (look_at(path, found) != 0) return -1;
  if (S_ISDIR(found.st_mode)) return fail(EISDIR);
  if (check_parent(path) != 0) return -1;
  overlay_.take_away(path);
  return 0;
}

int UserFiles::make_directory(const std::string& path, mode_t mode) {
  struct stat found {};
  if (look_at(path, found) == 0) return fail(EEXIST);
  if (check_parent(path) != 0) return -1;
  overlay_.make_directory(path, mode & ~own().mask);
  return 0;
}

int UserFiles::remove_directory(const std::string& path) {
  const auto names = list(path);
  if (names == nullptr) return -1;
  if (!std::ranges::all_of(*names, [](const auto& one) { return is_dots(one.first); })) {
    return fail(ENOTEMPTY);
  }
  if (check_parent(path) != 0) return -1;
  overlay_.take_away(path);
  return 0;
}

int UserFiles::rename(const std::string& from, const std::string& to) {
  struct stat found {};
  struct stat replaced {};
  if (look_at(from, found) != 0) return -1;
  // Another file system's, as far as a program can tell: it copies instead.
  if (S_ISDIR(found.st_mode)) return fail(EXDEV);
  if (look_at(to, replaced) == 0 && S_ISDIR(replaced.st_mode)) return fail(EISDIR);
  if (check_parent(from) != 0 || check_parent(to) != 0) return -1;
  if (!S_ISLNK(found.st_mode) && own_copy(from, true) == nullptr) return -1;
  overlay_.rename(from, to);
  return 0;
}

int UserFiles::link(const std::string& from, const std::string& to) {
  struct stat found {};
  struct stat there {};
  if (look_at(from, found) != 0) return -1;
  if (S_ISDIR(found.st_mode)) return fail(EPERM);
  if (look_at(to, there) == 0) return fail(EEXIST);
  if (check_parent(to) != 0) return -1;
  if (S_ISLNK(found.st_mode)) return make_symbolic_link(to, target_of(from).c_str());
  if (own_copy(from, true) == nullptr) return -1;
  return overlay_.link(from, to) ? 0 : fail(EMFILE);
}

int UserFiles::make_symbolic_link(const std::string& path, const char* target) {
  struct stat there {};
  if (*target == '\0') return fail(ENOENT);
  if (look_at(path, there) == 0) return fail(EEXIST);
  if (check_parent(path) != 0) return -1;
  overlay_.make_symbolic_link(path, target);
  return 0;
}

std::string UserFiles::target_of(const std::string& path) {
  struct stat found {};
  if (path == "/proc/self/exe") return program_path_;
  if (status(path, found) != 0) return {};
  if (S_ISLNK(found.st_mode)) return overlay_.find(path)->target;
  fail(EINVAL);
  return {};
}

int UserFiles::change_mode(const std::string& path, mode_t mode) {
  struct stat found {};
  if (look_at(path, found) != 0) return -1;
  if (S_ISDIR(found.st_mode) && overlay_.find(path) == nullptr) return 0;
  Entry* const entry = S_ISDIR(found.st_mode) ? overlay_.find(path) : own_copy(path, true);
  if (entry == nullptr) return -1;
  entry->mode = (entry->mode & ~07777U) | (mode & 07777U);
  return 0;
}

int UserFiles::set_modified(const std::string& path, std::int64_t modified_ns) {
  struct stat found {};
  if (look_at(path, found) != 0) return -1;
  if (S_ISDIR(found.st_mode)) return 0;
  Entry* const entry = own_copy(path, true);
  if (entry == nullptr) return -1;
  entry->modified_ns = modified_ns;
  return 0;
}

int UserFiles::truncate(const std::string& path, off_t bytes) {
  Entry* const entry = own_copy(path, bytes > 0);
  if (entry != nullptr && entry->is_lost) {
    if (bytes > 0) overlay_.note_lost(path);
    if (!overlay_.begin_anew(*entry)) return -1;
  }
  return entry == nullptr ? -1 : system_calls::ftruncate(entry->descriptor, bytes);
}

int UserFiles::change_directory(const std::string& path) {
  struct stat found {};
  if (look_at(path, found) != 0) return -1;
  if (!S_ISDIR(found.st_mode)) return fail(ENOTDIR);
  own().directory = path;
  return 0;
}

std::unique_ptr<UserFiles::Listing> UserFiles::list(const std::string& directory) {
  const Entry* const entry = overlay_.find(directory);
  std::map<std::string, bool> changes = overlay_.changes_in(directory);
  std::vector<std::string> names;
  if (entry != nullptr && entry->kind != Entry::Kind::directory) {
    fail(entry->kind == Entry::Kind::absent ? ENOENT : ENOTDIR);
    return nullptr;
  }
  if (entry == nullptr || !entry->is_opaque) {
    const auto outside = outside_.names_in(directory);
    if (!outside && entry == nullptr) return nullptr;
    if (outside) {
      for (const std::string& name : *outside) {
        const auto change = changes.find(name);
        if (change == changes.end() || change->second) names.push_back(name);
        if (change != changes.end()) changes.erase(change);
      }
    }
  }
  for (const auto& [name, is_there] : changes) {
    if (is_there) names.push_back(name);
  }
  auto listing = std::make_unique<Listing>();
  const std::string prefix = directory == "/" ? directory : directory + "/";
  for (const std::string& name : names) {
    listing->emplace_back(name, is_dots(name) || is_directory(prefix + name));
  }
  return listing;
}

}  // namespace orrery::host
