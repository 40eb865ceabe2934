// The process that has read a platform file: started, asked, and listened to when it dies.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <sys/types.h>

#include "platform_protocol.hpp"

namespace orrery::detail {

/// All that is in a file.
[[nodiscard]] std::string text_of(const std::string& path);

/// Fields of an answer, in the order in which they were written.
class AnswerReader {
 public:
  explicit AnswerReader(std::string bytes) : bytes_(std::move(bytes)) {}
  std::uint64_t number();
  double real();
  std::string text();

 private:
  void raw(void* value, std::size_t size);
  std::string bytes_;
  std::size_t next_ = 0;
};

/// Owned by the process that started it: a forked child must start its own.
class PlatformProcess {
 public:
  /// Throws `UsageError` if the program cannot be started.
  explicit PlatformProcess(std::string path);
  ~PlatformProcess();
  PlatformProcess(const PlatformProcess&) = delete;
  PlatformProcess& operator=(const PlatformProcess&) = delete;

  /// The first answer, which comes unasked.
  [[nodiscard]] AnswerReader description() { return read_answer(); }
  /// Throws `UsageError` with the process's last words if it died of the question.
  [[nodiscard]] AnswerReader ask(const PlatformRequest& request);
  [[nodiscard]] bool is_mine() const;

 private:
  [[nodiscard]] AnswerReader read_answer();
  bool read_all(void* bytes, std::size_t size) const;
  [[noreturn]] void fail();

  std::string path_;
  pid_t owner_ = 0;
  pid_t process_ = 0;
  int requests_ = -1;
  int answers_ = -1;
  int errors_ = -1;
};

}  // namespace orrery::detail
