#include "file_overlay.hpp"

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <utility>

#include <orrery/sim_runtime/program_inputs.hpp>

#include "system_calls.hpp"

namespace orrery::host {
namespace {

constexpr std::uint64_t first_number = 1000;
constexpr std::uint64_t overlay_device = 77;
constexpr std::int64_t nanoseconds_per_second = 1'000'000'000;

void read_content(int descriptor, WrittenFile& file) {
  std::vector<char> piece(WrittenFile::beginning_bytes_max);
  file.hash = hash_input({});
  while (true) {
    const ssize_t count =
        system_calls::pread(descriptor, piece.data(), piece.size(), static_cast<off_t>(file.bytes));
    if (count <= 0) return;
    const std::string_view text(piece.data(), static_cast<std::size_t>(count));
    // Pieces are of one size but for the last, so that the hash is the content's.
    file.hash = file.hash * 31 + hash_input(text);
    if (file.bytes == 0) file.beginning = text;
    file.bytes += text.size();
  }
}

}  // namespace

void FileOverlay::keep_in(const std::filesystem::path& directory,
                          const std::filesystem::path& root) {
  kept_directory_ = directory.string();
  kept_root_ = root.string();
}

std::string FileOverlay::kept_path(const std::string& path) const {
  const std::string prefix = kept_root_ + "/";
  return kept_directory_ + "/" +
         (path.starts_with(prefix) ? path.substr(prefix.size()) : path.substr(1));
}

void FileOverlay::release(Entry& entry, const std::string& path) {
  if (entry.descriptor < 0 && entry.kind != Entry::Kind::link) return;
  if (entry.descriptor >= 0) system_calls::close(entry.descriptor);
  entry.descriptor = -1;
  if (!kept_directory_.empty() && !path.empty()) system_calls::unlink(kept_path(path));
}

void FileOverlay::clear() {
  for (auto& [path, entry] : entries_) release(entry, {});
  entries_.clear();
  next_number_ = first_number;
  has_links_ = false;
  has_lost_contents_ = false;
  unseen_.clear();
}

void FileOverlay::lose_contents(std::int32_t rank) {
  rank_ = rank;
  has_lost_contents_ = true;
  for (auto& [path, entry] : entries_) entry.is_lost = entry.kind == Entry::Kind::file;
}

void FileOverlay::note_lost(const std::string& path) {
  if (!unseen_.empty()) return;
  unseen_ = "rank " + std::to_string(rank_) + " uses " + path +
            ", which it had written before the interval: images do not have what files hold";
}

void FileOverlay::note_use(const std::string& path, const Entry& entry) {
  if (!are_ranks_apart_ || entry.changed_by == rank_ || !unseen_.empty()) return;
  unseen_ = "rank " + std::to_string(rank_) + " uses " + path + ", which rank " +
            std::to_string(entry.changed_by) + " has made or changed";
}

FileOverlay::Entry* FileOverlay::find(const std::string& path) {
  if (entries_.empty()) return nullptr;
  if (const auto found = entries_.find(path); found != entries_.end()) {
    note_use(path, found->second);
    return &found->second;
  }
  for (std::size_t end = path.rfind('/'); end != std::string::npos && end > 0;
       end = path.rfind('/', end - 1)) {
    const auto above = entries_.find(path.substr(0, end));
    if (above == entries_.end()) continue;
    note_use(above->first, above->second);
    const bool shows_below =
        above->second.kind == Entry::Kind::directory && !above->second.is_opaque;
    return shows_below ? nullptr : &(hidden_ = {});
  }
  return nullptr;
}

FileOverlay::Entry* FileOverlay::make_file(const std::string& path, std::uint32_t mode) {
  int descriptor = -1;
  if (kept_directory_.empty()) {
    descriptor = system_calls::memory_file("orrery file");
  } else {
    const std::filesystem::path kept = kept_path(path);
    std::error_code error;
    std::filesystem::create_directories(kept.parent_path(), error);
    descriptor = system_calls::open(kept.string(), O_RDWR | O_CREAT | O_TRUNC, 0644);
  }
  if (descriptor < 0) return nullptr;
  Entry& entry = entries_[path];
  if (entry.descriptor >= 0) system_calls::close(entry.descriptor);
  entry = {Entry::Kind::file, descriptor, false, S_IFREG | (mode & 07777U),
           ++next_number_,    0,          rank_};
  return &entry;
}

bool FileOverlay::begin_anew(Entry& entry) {
  const int descriptor = system_calls::memory_file("orrery file");
  if (descriptor < 0) return false;
  system_calls::close(std::exchange(entry.descriptor, descriptor));
  entry.is_lost = false;
  return true;
}

void FileOverlay::make_directory(const std::string& path, std::uint32_t mode) {
  Entry& entry = entries_[path];
  const bool was_taken_away = entry.number != 0 && entry.kind == Entry::Kind::absent;
  entry = {Entry::Kind::directory, -1, was_taken_away, S_IFDIR | (mode & 07777U),
           ++next_number_,         0,  rank_};
}

void FileOverlay::make_symbolic_link(const std::string& path, const std::string& target) {
  Entry& entry = entries_[path];
  entry = {Entry::Kind::link, -1, false, S_IFLNK | 0777, ++next_number_, 0, rank_, false, target};
  has_links_ = true;
  if (kept_directory_.empty()) return;
  std::error_code error;
  const std::filesystem::path kept = kept_path(path);
  std::filesystem::create_directories(kept.parent_path(), error);
  std::filesystem::create_symlink(target, kept, error);
}

std::string FileOverlay::resolve(std::string path, bool keeps_last) const {
  constexpr int links_max = 40;  // as Linux has it
  int links = 0;
  for (std::size_t end = 0; has_links_ && end < path.size();) {
    end = std::min(path.find('/', end + 1), path.size());
    if (keeps_last && end == path.size()) break;
    const auto found = entries_.find(path.substr(0, end));
    if (found == entries_.end() || found->second.kind != Entry::Kind::link) continue;
    if (++links > links_max) {
      errno = ELOOP;
      return {};
    }
    const std::filesystem::path link(path.substr(0, end));
    const std::string rest = path.substr(end);
    path = ((link.parent_path() / found->second.target).string() + rest);
    path = std::filesystem::path(path).lexically_normal().string();
    if (path.size() > 1 && path.ends_with('/')) path.pop_back();
    end = 0;
  }
  return path;
}

void FileOverlay::take_away(const std::string& path) {
  Entry& entry = entries_[path];
  release(entry, path);
  entry = {};
  entry.number = ++next_number_;
  entry.changed_by = rank_;
}

void FileOverlay::rename(const std::string& from, const std::string& to) {
  if (from == to) return;
  Entry moved = entries_[from];
  entries_[from] = {};
  entries_[from].number = ++next_number_;
  entries_[from].changed_by = moved.changed_by = rank_;
  Entry& target = entries_[to];
  if (target.descriptor >= 0) system_calls::close(target.descriptor);
  target = moved;
  if (kept_directory_.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(kept_path(to)).parent_path(), error);
  std::filesystem::rename(kept_path(from), kept_path(to), error);
}

bool FileOverlay::link(const std::string& from, const std::string& to) {
  const int descriptor = system_calls::duplicate(entries_[from].descriptor);
  if (descriptor < 0) return false;
  Entry& target = entries_[to];
  if (target.descriptor >= 0) system_calls::close(target.descriptor);
  target = entries_[from];
  target.descriptor = descriptor;
  target.changed_by = rank_;
  return true;
}

int FileOverlay::open(const Entry& entry, int flags) const {
  const int kept_flags = flags & ~(O_CREAT | O_EXCL | O_NOFOLLOW);
  return system_calls::open("/proc/self/fd/" + std::to_string(entry.descriptor), kept_flags);
}

void FileOverlay::describe(const Entry& entry, struct stat& result) const {
  result = {};
  result.st_dev = overlay_device;
  result.st_ino = entry.number;
  result.st_mode = entry.mode;
  result.st_nlink = entry.kind == Entry::Kind::directory ? 2 : 1;
  result.st_uid = getuid();
  result.st_gid = getgid();
  result.st_blksize = 4096;
  result.st_mtim = {entry.modified_ns / nanoseconds_per_second,
                    entry.modified_ns % nanoseconds_per_second};
  result.st_atim = result.st_ctim = result.st_mtim;
  result.st_size = static_cast<off_t>(entry.target.size());
  struct stat now {};
  if (entry.descriptor < 0 || system_calls::fstat(entry.descriptor, now) != 0) return;
  result.st_size = now.st_size;
  result.st_blocks = (now.st_size + 511) / 512;
}

std::map<std::string, bool> FileOverlay::changes_in(const std::string& directory) {
  const std::string prefix = directory == "/" ? directory : directory + "/";
  std::map<std::string, bool> changes;
  for (auto at = entries_.lower_bound(prefix);
       at != entries_.end() && at->first.starts_with(prefix); ++at) {
    const std::string name = at->first.substr(prefix.size());
    if (!name.empty() && name.find('/') == std::string::npos) {
      note_use(at->first, at->second);
      changes[name] = at->second.kind != Entry::Kind::absent;
    }
  }
  return changes;
}

std::vector<WrittenFile> FileOverlay::contents(const std::string& root) const {
  const std::string prefix = root + "/";
  std::vector<WrittenFile> files;
  for (const auto& [path, entry] : entries_) {
    WrittenFile file;
    file.path = path.starts_with(prefix) ? path.substr(prefix.size()) : path;
    if (entry.kind == Entry::Kind::file) {
      file.kind = WrittenFile::Kind::file;
      read_content(entry.descriptor, file);
    } else if (entry.kind == Entry::Kind::directory) {
      file.kind = WrittenFile::Kind::directory;
    } else if (entry.kind == Entry::Kind::link) {
      file.kind = WrittenFile::Kind::file;
      file.beginning = entry.target;
      file.bytes = entry.target.size();
      file.hash = hash_input(entry.target);
    } else if (struct stat there{}; system_calls::stat(path, there, AT_SYMLINK_NOFOLLOW) != 0) {
      continue;  // made and taken away again
    }
    files.push_back(std::move(file));
  }
  std::ranges::sort(files, {}, &WrittenFile::path);
  return files;
}

}  // namespace orrery::host
