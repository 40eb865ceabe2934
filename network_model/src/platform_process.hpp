// The process that has read a platform file, and the servers that it forks.
#pragma once

#include <cstdint>
#include <memory>
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

/// A server of a platform, forked from the process that has read it; each client has its own, so
/// that the questions of one change no answer to another.  Used by the process that made it only.
class PlatformServer {
 public:
  /// `door`: of the reading process.  Throws `UsageError` if the operating system gives no sockets.
  PlatformServer(std::string path, int door);
  ~PlatformServer();
  PlatformServer(const PlatformServer&) = delete;
  PlatformServer& operator=(const PlatformServer&) = delete;

  /// Throws `UsageError` with the server's last words if it died of the question.
  [[nodiscard]] AnswerReader ask(const PlatformRequest& request);
  /// A forked child must have its own.
  [[nodiscard]] bool is_mine() const;

 private:
  std::string path_;
  pid_t owner_ = 0;
  int socket_ = -1;
  int errors_ = -1;
};

/// The process that reads a platform file: started, and listened to when it dies.  Ends with the
/// object in the process that made it; a forked child has the use of it.
class PlatformProcess {
 public:
  /// Starts it and does not wait.  Throws `UsageError` if the program cannot be started.
  explicit PlatformProcess(std::string path);
  ~PlatformProcess();
  PlatformProcess(const PlatformProcess&) = delete;
  PlatformProcess& operator=(const PlatformProcess&) = delete;

  /// Waits until the file is read; once.  Throws `UsageError` with the process's last words if it
  /// died of it.
  [[nodiscard]] AnswerReader description();
  [[nodiscard]] std::unique_ptr<PlatformServer> serve() const;

 private:
  std::string path_;
  pid_t owner_ = 0;
  pid_t process_ = 0;
  int door_ = -1;
  int errors_ = -1;
};

}  // namespace orrery::detail
