// Error codes and classes, and their texts (MPI 3.1, sections 8.4 and 8.5).
#pragma once

#include <deque>
#include <optional>
#include <string>

namespace orrery::mpi {

/// What a rank's program can be told of: the classes of mpi.h, each a code of its own, and what the
/// program has added.
class ErrorCodes {
 public:
  struct Code {
    int error_class = 0;
    std::string text;
  };
  int add_class();
  int add_code(int error_class);
  /// One that the program has added; null: it has not.
  [[nodiscard]] Code* find(int code);
  /// The highest code there is.
  [[nodiscard]] int last() const;

  /// A sentence; null for what is no code.
  [[nodiscard]] const char* text(int code);
  [[nodiscard]] std::optional<int> class_of(int code);

 private:
  std::deque<Code> codes_;  // texts stay where they are
};

}  // namespace orrery::mpi
