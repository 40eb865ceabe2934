// What a descriptor of a program leads to.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>

namespace orrery::host {

/// Where in the program the present call is, for what waits or fails in it.
inline constinit thread_local std::uintptr_t noted_place_of_call = 0;
inline void note_place_of_call(std::uintptr_t program_counter) {
  noted_place_of_call = program_counter;
}
[[nodiscard]] inline std::uintptr_t place_of_call() {
  return noted_place_of_call;
}

/// The result of a call that fails so.
inline int fail(int error) {
  errno = error;
  return -1;
}

class SharedFile;
class WatchedFile;

/// An open file of a program (an "open file description" of POSIX: several descriptors may lead to
/// one).  Results are those of the system calls: -1 with `errno`.  What is not overridden fails as
/// it does for a file that has no such thing.
class OpenFile {
 public:
  explicit OpenFile(int open_flags) : flags(open_flags) {}
  virtual ~OpenFile() = default;
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  virtual ssize_t read(void* into, std::size_t bytes);
  virtual ssize_t write(const void* from, std::size_t bytes);
  virtual ssize_t read_at(void* into, std::size_t bytes, off_t offset);
  virtual ssize_t write_at(const void* from, std::size_t bytes, off_t offset);
  virtual off_t seek(off_t offset, int from);
  virtual int resize(off_t bytes);
  virtual void status(struct stat& result) const = 0;
  /// Null: its other end, if it has one, is not in the program.
  [[nodiscard]] virtual SharedFile* shared() { return nullptr; }
  /// Null: nothing happens to it that one could wait for.
  [[nodiscard]] virtual WatchedFile* watched() { return nullptr; }
  /// Can `epoll` have it?  Files and directories it cannot.
  [[nodiscard]] virtual bool can_be_awaited() { return watched() != nullptr; }
  /// The system's own descriptor for it; -1: it has none.
  [[nodiscard]] virtual int system_descriptor() const { return -1; }
  /// The absolute path of a directory; empty for anything else.
  [[nodiscard]] virtual const char* directory_path() const { return ""; }
  int flags;  ///< O_RDONLY, O_APPEND, O_NONBLOCK, ...
};

/// A file of the system's, opened for a program.  Owns the descriptor.
class SystemFile final : public OpenFile {
 public:
  SystemFile(int descriptor, int open_flags, const struct stat& shown)
      : OpenFile(open_flags), descriptor_(descriptor), shown_(shown) {}
  ~SystemFile() override;

  ssize_t read(void* into, std::size_t bytes) override;
  ssize_t write(const void* from, std::size_t bytes) override;
  ssize_t read_at(void* into, std::size_t bytes, off_t offset) override;
  ssize_t write_at(const void* from, std::size_t bytes, off_t offset) override;
  off_t seek(off_t offset, int from) override;
  int resize(off_t bytes) override;
  void status(struct stat& result) const override;
  [[nodiscard]] int system_descriptor() const override { return descriptor_; }

 private:
  /// Notes a use of what the file holds, or of its offset, where that is lost: in an image its
  /// descriptor leads nowhere.
  void note_use() const;

  int descriptor_;
  struct stat shown_;  ///< what a program sees of it, but for its size
};

/// A directory that was opened.
class DirectoryFile final : public OpenFile {
 public:
  DirectoryFile(std::string path, int open_flags, const struct stat& shown)
      : OpenFile(open_flags), path_(std::move(path)), shown_(shown) {}
  ssize_t read(void* into, std::size_t bytes) override;
  void status(struct stat& result) const override { result = shown_; }
  [[nodiscard]] const char* directory_path() const override { return path_.c_str(); }

 private:
  std::string path_;
  struct stat shown_;
};

}  // namespace orrery::host
