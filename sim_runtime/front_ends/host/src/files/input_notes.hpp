// What programs have asked the system for, noted where a parent process can read it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace orrery::host {

/// A list that grows, in memory that is shared with all processes that are forked later.  A name
/// that was noted twice may stand in it twice.
class InputNotes {
 public:
  enum class Kind : std::uint8_t {
    status,    ///< of a file: whether it is there, and what it is
    content,   ///< of a file, or the names in a directory
    variable,  ///< of the environment
    host,      ///< of a rank; what it is called is the content
  };
  struct Note {
    Kind kind;
    std::string name;
    std::string content;  ///< of files whose content cannot be read again
  };

  InputNotes();
  ~InputNotes();
  InputNotes(const InputNotes&) = delete;
  InputNotes& operator=(const InputNotes&) = delete;

  void add(Kind kind, std::string_view name, std::string_view content = {});
  [[nodiscard]] std::vector<Note> notes() const;
  void clear();

 private:
  struct Header;
  struct Record;
  Header* header_ = nullptr;
  std::set<std::string> known_;  // what this process has added
  std::uint64_t known_generation_ = 0;
};

/// What was read of a standard input that is not ours to read twice: shared in the same way.
class InputTape {
 public:
  InputTape();
  ~InputTape();
  InputTape(const InputTape&) = delete;
  InputTape& operator=(const InputTape&) = delete;

  /// Reads at `offset`, first what was read before, then the standard input itself; as `read` does.
  ssize_t read(void* into, std::size_t bytes, std::uint64_t offset);
  /// Instead of the standard input.
  void set(std::string_view content);
  [[nodiscard]] std::string content() const;

 private:
  int descriptor_;
  bool is_set_ = false;
};

}  // namespace orrery::host
