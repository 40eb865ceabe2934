// What a run has done to files, of which the system's own know nothing.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <sys/stat.h>

#include <orrery/sim_runtime/written_file.hpp>

namespace orrery::host {

/// Files and directories that a run has made, changed, or taken away, by absolute path.  The
/// content of files is in memory, or, where it shall be kept, in files below a directory.
class FileOverlay {
 public:
  struct Entry {
    enum class Kind : std::uint8_t { absent, file, directory, link } kind = Kind::absent;
    int descriptor = -1;     ///< of a file's content
    bool is_opaque = false;  ///< of a directory: what the system has there is hidden
    std::uint32_t mode = 0;
    std::uint64_t number = 0;  ///< its i-node's
    std::int64_t modified_ns = 0;
    std::int32_t changed_by = -1;  ///< the rank that did, last
    bool is_lost = false;          ///< a file's content, in a process that is an image of another
    std::string target{};          ///< of a symbolic link
  };
  FileOverlay() = default;
  ~FileOverlay() { clear(); }
  FileOverlay(const FileOverlay&) = delete;
  FileOverlay& operator=(const FileOverlay&) = delete;

  /// From now on files are made below `directory`, those below `root` with their path from there;
  /// with an empty `directory` in memory again.
  void keep_in(const std::filesystem::path& directory, const std::filesystem::path& root);
  /// Everything is as if nothing had been done; what was kept stays where it is.
  void clear();

  /// Whom the calls that follow are for.
  void act_for(std::int32_t rank) { rank_ = rank; }
  /// From now on it is noted where a rank sees what another one has done.
  void keep_ranks_apart(bool are_apart) { are_ranks_apart_ = are_apart; }
  /// The process has become an image of another, where the contents of files are not; only this
  /// rank goes on.
  void lose_contents(std::int32_t rank);
  [[nodiscard]] bool has_lost_contents() const { return has_lost_contents_; }
  /// The rank uses the content of such a file.
  void note_lost(const std::string& path);
  /// What a rank has seen that it would not see by itself, in words; empty: nothing.
  [[nodiscard]] const std::string& unseen() const { return unseen_; }

  /// What the run has made of it; null: it is as the system has it.
  [[nodiscard]] Entry* find(const std::string& path);
  /// Returns null, with `errno`, if the system has no room.
  Entry* make_file(const std::string& path, std::uint32_t mode);
  /// A content that was lost is not needed any more: an empty one in its place.  False, with
  /// `errno`, if the system has no room.
  bool begin_anew(Entry& entry);
  void make_directory(const std::string& path, std::uint32_t mode);
  void make_symbolic_link(const std::string& path, const std::string& target);
  /// Where the symbolic links of the run lead on the way along an absolute path, and at its end
  /// unless that stands for itself; empty, with `errno`, if they lead round in a circle.
  [[nodiscard]] std::string resolve(std::string path, bool keeps_last) const;
  void take_away(const std::string& path);
  /// A file gets another name.
  void rename(const std::string& from, const std::string& to);
  /// Or another name besides.  False, with `errno`, if the system has no room.
  bool link(const std::string& from, const std::string& to);
  /// Opens it anew, with an offset of its own; -1 with `errno`.
  [[nodiscard]] int open(const Entry& entry, int flags) const;
  void describe(const Entry& entry, struct stat& result) const;
  /// Names that the run has made or taken away in this directory: `true` for those that are there.
  [[nodiscard]] std::map<std::string, bool> changes_in(const std::string& directory);
  /// All that differs from what the system has, paths seen from `root`.
  [[nodiscard]] std::vector<WrittenFile> contents(const std::string& root) const;

 private:
  [[nodiscard]] std::string kept_path(const std::string& path) const;
  void release(Entry& entry, const std::string& path);
  void note_use(const std::string& path, const Entry& entry);

  std::map<std::string, Entry> entries_;
  std::uint64_t next_number_ = 0;
  bool has_links_ = false;
  Entry hidden_;  ///< what `find` gives for what lies below something that was taken away
  std::string kept_directory_;
  std::string kept_root_;
  std::int32_t rank_ = -1;
  bool are_ranks_apart_ = false;
  bool has_lost_contents_ = false;
  std::string unseen_;
};

}  // namespace orrery::host
