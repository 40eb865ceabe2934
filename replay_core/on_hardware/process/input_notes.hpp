// What a rank looks at outside: files, the environment, its host's name.
#pragma once

#include <atomic>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <orrery/replay_core/rank_spool.hpp>

#include "own_lock.hpp"

namespace orrery::on_hardware {

/// What a call is going to do with a path.
enum class Look : std::uint8_t {
  status,    ///< ask what is there
  content,   ///< read it, or change a part of it
  replaced,  ///< make it, or have it empty
};

/// Of one process, by all its threads.  What was there when the program first looked goes into
/// files beside that of the rank; before MPI begins it is in memory, but for the content of files.
class InputNotes {
 public:
  /// The process begins: what is to be kept.
  void begin(const char* directory);
  /// From here on in a file.
  void begin_rank(std::uint32_t rank);

  /// Called before the program does it.  `from`: what a relative path is seen from.
  void look(int from, const char* path, Look look);
  /// The program makes symbolic links: what it finds through them is noted by its own name, too,
  /// since a replay knows where they lead.
  void follow_links() { follows_links_.store(true, std::memory_order_relaxed); }
  /// A call has made it, at a name that was nobody's.
  void made(const char* path);
  /// The path from the root; empty: it leads nowhere.
  [[nodiscard]] static std::string whole_path(int from, const char* path);
  /// Are the contents of all files kept, and the names in directories?
  [[nodiscard]] bool are_contents_kept() const {
    return keeping_ == Keeping::content && redacted_.empty();
  }
  /// The program asks for a variable of the environment.
  void variable(const char* name);
  /// What the program's first argument is: its own name, as whoever has started it has it.
  void called_as(const char* name);
  /// Part of a launcher's standard input, on its way to a rank.
  void pass_on(const void* bytes, std::size_t size);
  /// The whole of the standard input, which is a file.
  void keep_standard_input(std::uint32_t rank);

 private:
  enum class Keeping : std::uint8_t { content, hash, none };

  [[nodiscard]] bool is_redacted(const std::string& name) const;
  [[nodiscard]] bool is_new(const std::string& key);
  void note_file(const std::string& path, Look look);
  /// Where something is made, or was looked for: a replay finds the directory, wherever it is.
  void note_directory_of(const std::string& path);
  void keep_content(const std::string& path, std::uint32_t file_kind, Look look);
  void add(rank_spool::Note note, const std::string& name, const std::string& value);

  std::string directory_;
  Keeping keeping_ = Keeping::content;
  std::vector<std::string> redacted_;
  std::vector<std::string> environment_;  ///< that the process began with
  std::atomic<bool> follows_links_ = false;
  OwnLock lock_;
  std::set<std::string> known_;
  std::string before_mpi_;
  int file_ = -1;
};

/// Of this process.
InputNotes& input_notes();

}  // namespace orrery::on_hardware
