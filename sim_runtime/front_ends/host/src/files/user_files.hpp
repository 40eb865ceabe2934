// The files of simulated programs: descriptors, paths, and what a run does to them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <orrery/sim_runtime/program_inputs.hpp>

#include "file_overlay.hpp"
#include "open_file.hpp"
#include "outside_files.hpp"
#include "ranks/rank_context.hpp"

namespace orrery::host {

/// What one rank has open, and where it is.
class ProcessFiles {
 public:
  struct Descriptor {
    std::shared_ptr<OpenFile> file;
    bool closes_on_exec = false;
  };
  static constexpr int descriptors_max = 1024;

  [[nodiscard]] OpenFile* at(int number) const {
    return number >= 0 && static_cast<std::size_t>(number) < descriptors.size()
               ? descriptors[static_cast<std::size_t>(number)].file.get()
               : nullptr;
  }
  /// The lowest free number from `least` on; -1 with `errno`: there are too many.
  int add(std::shared_ptr<OpenFile> file, bool closes_on_exec, int least = 0);
  void put(int number, Descriptor descriptor);
  [[nodiscard]] bool leads_to(const OpenFile& file) const {
    return std::ranges::any_of(descriptors,
                               [&](const Descriptor& one) { return one.file.get() == &file; });
  }

  std::vector<Descriptor> descriptors;
  std::map<std::FILE*, int> streams;  ///< those that it has opened
  std::string directory;
  mode_t mask = 022;
};

/// All of this process.  Functions on paths take absolute ones, and have the results of the system
/// calls: -1 with `errno`.  What they allocate is the host's: call them in a `HostScope`.
class UserFiles {
 public:
  /// What a run finds is what this one found; null: what the system has.
  void use_record(const ProgramInputs* record);
  /// What runs have found: see `OutsideFiles::collect`.
  [[nodiscard]] ProgramInputs inputs(const InputPolicy& policy) const;
  void keep_in(const std::string& directory);
  /// As job launchers do it, the first rank alone has the standard input, unless told otherwise.
  void give_standard_input(std::int32_t rank) { standard_input_rank_ = rank; }

  void set_program(std::string path) { program_path_ = std::move(path); }
  [[nodiscard]] const std::string& program_path() const { return program_path_; }

  /// `are_apart`: it is noted where a rank sees what another one has done to files.
  void begin_run(std::uint32_t ranks, bool are_apart = false);
  /// See `FileOverlay`.
  void lose_contents(std::int32_t rank) { overlay_.lose_contents(rank); }
  [[nodiscard]] bool has_lost_contents() const { return overlay_.has_lost_contents(); }
  void note_lost() { overlay_.note_lost("a file"); }
  [[nodiscard]] const std::string& unseen() const { return overlay_.unseen(); }
  void end_run();
  /// What the run has made of files so far.
  [[nodiscard]] std::vector<WrittenFile> written() const { return overlay_.contents(here_); }

  /// Of a rank.
  [[nodiscard]] ProcessFiles& of(std::int32_t rank) {
    return processes_[static_cast<std::size_t>(rank)];
  }
  /// Of the rank for which functions on paths are called: see `FilesCall`.
  [[nodiscard]] ProcessFiles& own() { return of(caller_); }
  void call_for(std::int32_t rank) {
    caller_ = rank;
    overlay_.act_for(rank);
  }
  [[nodiscard]] OutsideFiles& outside() { return outside_; }

  /// Of a path that ends in a symbolic link of the run: is it about what that leads to?
  enum class Links : std::uint8_t { follow, keep_last };
  /// `path` seen from a directory that is open (or AT_FDCWD); empty with `errno`.  A symbolic link
  /// that the run has not made counts for what it leads to only where the system follows it; `..`
  /// goes back along the path as it is written.
  [[nodiscard]] std::string absolute(int directory, const char* path, Links links = Links::follow);

  [[nodiscard]] std::shared_ptr<OpenFile> open(const std::string& path, int flags, mode_t mode);
  int status(const std::string& path, struct stat& result);
  int access(const std::string& path, int mode);
  int unlink(const std::string& path);
  int make_directory(const std::string& path, mode_t mode);
  int remove_directory(const std::string& path);
  int rename(const std::string& from, const std::string& to);
  /// The same file by another name, too.
  int link(const std::string& from, const std::string& to);
  int make_symbolic_link(const std::string& path, const char* target);
  /// Where it leads; empty with `errno`.
  [[nodiscard]] std::string target_of(const std::string& path);
  int change_mode(const std::string& path, mode_t mode);
  int set_modified(const std::string& path, std::int64_t modified_ns);
  int truncate(const std::string& path, off_t bytes);
  int change_directory(const std::string& path);
  /// Names and whether they are directories, in the order in which they are found; null with
  /// `errno`.  `.` and `..` are among them where real threads have found them.
  using Listing = std::vector<std::pair<std::string, bool>>;
  [[nodiscard]] std::unique_ptr<Listing> list(const std::string& directory);
  /// A file without a name.
  [[nodiscard]] std::shared_ptr<OpenFile> open_nameless(int flags);

 private:
  void begin_environment();
  [[nodiscard]] std::string whole_path(int directory, const char* path);
  [[nodiscard]] bool is_directory(const std::string& path);
  [[nodiscard]] int check_parent(const std::string& path);
  /// The run's own copy, made now if need be; null with `errno`.
  FileOverlay::Entry* own_copy(const std::string& path, bool keeps_content);
  FileOverlay::Entry* new_file(const std::string& path, mode_t mode);
  [[nodiscard]] std::shared_ptr<OpenFile> open_entry(const std::string& path,
                                                     FileOverlay::Entry& entry, int flags);
  int look_at(const std::string& path, struct stat& result);
  [[nodiscard]] std::shared_ptr<OpenFile> open_device(const std::string& path, int flags);
  [[nodiscard]] std::shared_ptr<OpenFile> open_outside(const std::string& path, int flags,
                                                       const struct stat& status);

  OutsideFiles outside_;
  FileOverlay overlay_;
  std::deque<ProcessFiles> processes_;
  std::string directory_;  ///< where a program begins; empty: where this process is
  std::string here_;       ///< where this process is
  std::int32_t standard_input_rank_ = 0;
  std::vector<std::string> variables_;
  std::vector<char*> environment_;
  char** former_environment_ = nullptr;
  std::string program_path_;
  std::int32_t caller_ = 0;
};

/// The one of this process; made when the first program is loaded.
[[nodiscard]] UserFiles& user_files();

/// A call of a program's that is about paths or descriptors, until it is answered: what is
/// allocated within is the host's.  Does not give way to other tasks.
class FilesCall {
 public:
  FilesCall() { user_files().call_for(rank_); }
  [[nodiscard]] UserFiles& files() const { return user_files(); }
  [[nodiscard]] ProcessFiles& own() const { return user_files().of(rank_); }

 private:
  std::int32_t rank_ = running().user->rank();
  HostScope host_;
};

/// What a descriptor of the calling rank leads to; null with EBADF.  Its functions are called
/// outside of a `FilesCall`: they may wait, and others go on meanwhile.
[[nodiscard]] std::shared_ptr<OpenFile> open_file(int number);

/// As `close`; outside of a `FilesCall`, too.
int close_file(int number);
/// Has a descriptor, which may be in use, lead to another file; -1: to none it can.
int replace_file(int number, ProcessFiles::Descriptor descriptor);

}  // namespace orrery::host
