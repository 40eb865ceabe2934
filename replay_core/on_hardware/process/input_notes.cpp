#include "input_notes.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <mutex>

#include <dirent.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "made_once.hpp"
#include "next_function.hpp"

namespace orrery::on_hardware {
namespace {

// As `InputFile::Kind` has them.
constexpr std::uint32_t absent = 0;
constexpr std::uint32_t plain_file = 1;
constexpr std::uint32_t directory = 2;
constexpr std::uint32_t other = 3;

constexpr std::size_t made_up_bytes_max = std::size_t{1} << 20U;
constexpr std::uint64_t directory_bytes = 4096;

thread_local bool is_noting = false;  // what is called meanwhile, by a signal's handler or from
                                      // within `malloc`, is not noted

class Noting {
 public:
  Noting() : error_(errno) { is_noting = true; }
  ~Noting() {
    is_noting = false;
    errno = error_;
  }
  Noting(const Noting&) = delete;
  Noting& operator=(const Noting&) = delete;

 private:
  int error_;
};

// Past our own functions.
int open_directly(const std::string& path, int flags) {
  return static_cast<int>(syscall(SYS_openat, AT_FDCWD, path.c_str(), flags | O_CLOEXEC, 0600));
}
ssize_t read_directly(int file, void* into, std::size_t bytes) {
  return syscall(SYS_read, file, into, bytes);
}
void close_directly(int file) {
  syscall(SYS_close, file);
}

/// Programs get the lowest numbers that are free, and print them.
int out_of_the_way(int file) {
  constexpr int high_number = 1000;
  const int moved = file < 0 ? -1 : fcntl(file, F_DUPFD_CLOEXEC, high_number);
  if (moved < 0) return file;
  close_directly(file);
  return moved;
}

void write_all(int file, const char* from, std::size_t bytes) {
  while (bytes > 0) {
    const ssize_t written = write(file, from, bytes);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    from += written;
    bytes -= static_cast<std::size_t>(written);
  }
}

bool is_made_up(const std::string& path) {
  return path.rfind("/proc/", 0) == 0 || path.rfind("/sys/", 0) == 0;
}

/// Goes back along the path as it is written, as simulated programs see it.
std::string normal(const std::string& path) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin < path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string part = path.substr(begin, end - begin);
    if (part == ".." && !parts.empty()) parts.pop_back();
    if (!part.empty() && part != "." && part != "..") parts.push_back(part);
    begin = end + 1;
  }
  std::string whole;
  for (const std::string& part : parts) whole += "/" + part;
  return whole.empty() ? "/" : whole;
}

/// Empty: it leads nowhere.
std::string absolute(int from, const char* path) {
  if (path == nullptr || *path == '\0') return {};
  if (*path == '/') return normal(path);
  std::array<char, 4096> text{};
  if (from == AT_FDCWD) {
    if (getcwd(text.data(), text.size()) == nullptr) return {};
  } else {
    const std::string link = "/proc/self/fd/" + std::to_string(from);
    if (syscall(SYS_readlinkat, AT_FDCWD, link.c_str(), text.data(), text.size() - 1) <= 0)
      return {};
  }
  return normal(std::string(text.data()) + "/" + path);
}

/// Where symbolic links lead on the way to something that may not be there yet; empty: nowhere.
std::string behind_links(std::string path) {
  constexpr int links_max = 40;  // as Linux has it
  const auto real_path = next<&::realpath>("realpath");
  std::array<char, PATH_MAX> text{};
  for (int i = 0; i < links_max; ++i) {
    if (real_path(path.c_str(), text.data()) != nullptr) return text.data();
    const std::size_t last = std::max<std::size_t>(path.rfind('/'), 1);
    if (real_path(path.substr(0, last).c_str(), text.data()) == nullptr) return {};
    const std::string above = text.data();
    path = normal(above + "/" + path.substr(last));
    const long bytes = syscall(SYS_readlinkat, AT_FDCWD, path.c_str(), text.data(), text.size());
    if (bytes <= 0) return path;
    const std::string target(text.data(), static_cast<std::size_t>(bytes));
    path = target[0] == '/' ? normal(target) : normal(above + "/" + target);
  }
  return {};
}

std::uint64_t hash_of(const std::string& text, std::uint64_t hash = 0xcbf29ce484222325U) {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return hash;
}

std::uint64_t time_now_ns() {
  timespec date{};
  next<&::clock_gettime>("clock_gettime")(CLOCK_REALTIME, &date);
  return static_cast<std::uint64_t>(date.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(date.tv_nsec);
}

/// In the order in which the program is going to find them.
std::string names_in(const std::string& path) {
  DIR* const stream = next<&::opendir>("opendir")(path.c_str());
  if (stream == nullptr) return {};
  std::string content;
  while (const dirent* const entry = readdir(stream)) {
    content += entry->d_name;
    content += '\0';
  }
  closedir(stream);
  return content;
}

/// Hands what is in a file on, in parts.
template <typename Take>
void read_parts(const std::string& path, Take&& take) {
  const int file = open_directly(path, O_RDONLY);
  if (file < 0) return;
  std::vector<char> part(std::size_t{1} << 18U);
  std::size_t total = 0;
  ssize_t bytes = 0;
  while ((bytes = read_directly(file, part.data(), part.size())) > 0) {
    take(part.data(), static_cast<std::size_t>(bytes));
    total += static_cast<std::size_t>(bytes);
    if (is_made_up(path) && total >= made_up_bytes_max) break;
  }
  close_directly(file);
}

}  // namespace

void InputNotes::begin(const char* spool_directory) {
  directory_ = spool_directory;
  const char* const keeping = getenv("ORRERY_RECORD_INPUT");
  if (keeping != nullptr && std::strcmp(keeping, "hash") == 0) keeping_ = Keeping::hash;
  if (keeping != nullptr && std::strcmp(keeping, "none") == 0) keeping_ = Keeping::none;
  const char* const redacted = getenv("ORRERY_RECORD_REDACT");
  const std::string patterns = redacted == nullptr ? "" : redacted;
  for (std::size_t begin = 0; begin < patterns.size();) {
    const std::size_t end = std::min(patterns.find(',', begin), patterns.size());
    if (end > begin) redacted_.push_back(patterns.substr(begin, end - begin));
    begin = end + 1;
  }
  for (char** entry = environ; *entry != nullptr; ++entry) environment_.emplace_back(*entry);
}

void InputNotes::begin_rank(std::uint32_t rank) {
  const std::lock_guard held(lock_);
  const std::string path = directory_ + "/" + rank_spool::inputs_file_prefix + std::to_string(rank);
  file_ = out_of_the_way(open_directly(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND));
  if (file_ < 0) return;
  write_all(file_, before_mpi_.data(), before_mpi_.size());
  before_mpi_.clear();
}

bool InputNotes::is_redacted(const std::string& name) const {
  const std::string last = name.substr(name.rfind('/') + 1);
  return std::any_of(redacted_.begin(), redacted_.end(), [&](const std::string& pattern) {
    return fnmatch(pattern.c_str(), name.c_str(), 0) == 0 ||
           fnmatch(pattern.c_str(), last.c_str(), 0) == 0;
  });
}

bool InputNotes::is_new(const std::string& key) {
  return known_.insert(key).second;
}

void InputNotes::look(int from, const char* path, Look look) {
  if (is_noting) return;
  const Noting noting;
  const std::string whole = absolute(from, path);
  // Devices are what they are; those of chance are in the readings.
  const auto is_under = [&](const char* place) { return whole.rfind(place, 0) == 0; };
  const bool is_device = is_under("/dev/") && !is_under("/dev/shm/");
  if (whole.empty() || is_device || is_under("/proc/self/fd/")) return;
  const std::lock_guard held(lock_);
  const char* const kind = look == Look::status ? "s" : look == Look::content ? "c" : "r";
  if (is_new(kind + whole)) note_file(whole, look);
  if (!follows_links_.load(std::memory_order_relaxed)) return;
  const std::string led_to = behind_links(whole);
  if (!led_to.empty() && is_new(kind + led_to)) note_file(led_to, look);
}

std::string InputNotes::whole_path(int from, const char* path) {
  const Noting noting;
  return absolute(from, path);
}

void InputNotes::made(const char* path) {
  if (is_noting) return;
  const Noting noting;
  const std::string whole = absolute(AT_FDCWD, path);
  const std::lock_guard held(lock_);
  if (whole.empty() || !is_new("r" + whole)) return;
  known_.insert({"s" + whole, "c" + whole});
  keep_content(whole, absent, Look::replaced);
  rank_spool::Note note{};
  note.kind = rank_spool::NoteKind::replaced;
  note.file_kind = absent;
  add(note, whole, {});
}

void InputNotes::note_file(const std::string& path, Look look) {
  rank_spool::Note note{};
  struct stat now {};
  note.file_kind = absent;
  if (syscall(SYS_newfstatat, AT_FDCWD, path.c_str(), &now, 0) == 0) {
    note.file_kind = S_ISDIR(now.st_mode) ? directory : S_ISREG(now.st_mode) ? plain_file : other;
    note.mode = now.st_mode;
    note.bytes =
        note.file_kind == directory ? directory_bytes : static_cast<std::uint64_t>(now.st_size);
    note.modified_s = is_made_up(path) ? 0 : now.st_mtim.tv_sec;
  }
  const bool is_content = look == Look::content && note.file_kind != absent;
  const bool is_replaced = look != Look::status && !is_content;
  note.kind = is_content    ? rank_spool::NoteKind::content
              : is_replaced ? rank_spool::NoteKind::replaced
                            : rank_spool::NoteKind::status;
  if (look != Look::status) keep_content(path, note.file_kind, look);
  add(note, path, {});
  if (note.file_kind == absent || look == Look::replaced) note_directory_of(path);
}

void InputNotes::note_directory_of(const std::string& path) {
  const std::string above = path.substr(0, std::max<std::size_t>(path.rfind('/'), 1));
  // What the program has made since it first looked there is no input.
  const auto is_known = [&](const char* kind) { return known_.count(kind + above) != 0; };
  if (above == path || is_known("s") || is_known("c") || is_known("r")) return;
  known_.insert("s" + above);
  note_file(above, Look::status);
}

void InputNotes::keep_content(const std::string& path, std::uint32_t file_kind, Look look) {
  std::array<char, 32> name{};
  std::snprintf(name.data(), name.size(), "/%s%016llx", rank_spool::content_file_prefix,
                static_cast<unsigned long long>(hash_of(path)));
  const int file = open_directly(directory_ + name.data(), O_WRONLY | O_CREAT | O_EXCL);
  if (file < 0) return;  // another rank was the first
  const bool is_kept = look == Look::content && keeping_ != Keeping::none && !is_redacted(path);
  std::string text;
  if (is_kept && file_kind == directory) text = names_in(path);
  if (is_kept && keeping_ == Keeping::hash) {
    std::uint64_t hash = hash_of(text);
    const auto take = [&hash](const char* part, std::size_t bytes) {
      for (std::size_t i = 0; i < bytes; ++i)
        hash = (hash ^ static_cast<unsigned char>(part[i])) * 0x100000001b3U;
    };
    if (file_kind == plain_file) read_parts(path, take);
    write_all(file, reinterpret_cast<const char*>(&hash), sizeof hash);
  } else if (is_kept && file_kind == plain_file) {
    read_parts(path, [file](const char* part, std::size_t bytes) { write_all(file, part, bytes); });
  } else {
    write_all(file, text.data(), text.size());
  }
  close_directly(file);
}

void InputNotes::variable(const char* name) {
  if (is_noting || name == nullptr || *name == '\0') return;
  const Noting noting;
  const std::lock_guard held(lock_);
  const std::string key = name;
  if (!is_new("v" + key)) return;
  std::string value(1, '\0');  // it was not set
  const std::string begin = key + "=";
  for (const std::string& entry : environment_) {
    if (entry.compare(0, begin.size(), begin) == 0) value = entry.substr(begin.size());
  }
  if (is_redacted(key)) value = std::string(2, '\0');
  rank_spool::Note note{};
  note.kind = rank_spool::NoteKind::variable;
  add(note, key, value);
}

void InputNotes::called_as(const char* name) {
  const Noting noting;
  const std::lock_guard held(lock_);
  rank_spool::Note note{};
  note.kind = rank_spool::NoteKind::variable;
  add(note, rank_spool::called_as_name, name);
}

void InputNotes::add(rank_spool::Note note, const std::string& name, const std::string& value) {
  note.time_ns = time_now_ns();
  note.name_bytes = static_cast<std::uint32_t>(name.size());
  note.value_bytes = static_cast<std::uint32_t>(value.size());
  std::string whole(reinterpret_cast<const char*>(&note), sizeof note);
  whole += name + value;
  if (file_ < 0) {
    before_mpi_ += whole;
  } else {
    write_all(file_, whole.data(), whole.size());
  }
}

void InputNotes::pass_on(const void* bytes, std::size_t size) {
  const Noting noting;
  const std::lock_guard held(lock_);
  if (directory_.empty()) directory_ = getenv("ORRERY_RECORD_DIRECTORY");
  if (file_ < 0) {
    file_ = open_directly(directory_ + "/" + rank_spool::standard_input_file,
                          O_WRONLY | O_CREAT | O_APPEND);
  }
  if (file_ >= 0) write_all(file_, static_cast<const char*>(bytes), size);
}

void InputNotes::keep_standard_input(std::uint32_t rank) {
  const Noting noting;
  const std::string path =
      directory_ + "/" + rank_spool::standard_input_file + "-" + std::to_string(rank);
  const int file = open_directly(path, O_WRONLY | O_CREAT | O_EXCL);
  if (file < 0) return;
  std::array<char, 65536> part{};
  ssize_t bytes = 0;
  for (off_t at = 0; (bytes = pread(STDIN_FILENO, part.data(), part.size(), at)) > 0; at += bytes) {
    write_all(file, part.data(), static_cast<std::size_t>(bytes));
  }
  close_directly(file);
}

InputNotes& input_notes() {
  static constinit MadeOnce<InputNotes> of_process;
  return of_process.get();
}

}  // namespace orrery::on_hardware
