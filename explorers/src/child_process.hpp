// A forked worker and the pipe that it writes to.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>
#include <sys/types.h>

namespace orrery::detail {

/// One message of a worker: a JSON value and bytes beside it.
struct Message {
  nlohmann::json value;
  std::vector<std::byte> bytes;
};

/// Writes a whole message.  Text that is not UTF-8 is made so.  False if nobody reads any more.
bool write_message(int fd, const Message& message);

/// Puts messages together from what a pipe gives.
class MessageReader {
 public:
  /// Reads what is there (waiting for something if the pipe blocks).  False when the writing end is
  /// closed.
  bool read_some(int fd);
  /// The next whole message that was read, if any.
  std::optional<Message> next();

 private:
  std::string received_;
  std::size_t taken_ = 0;
};

/// In a forked child: it is killed when its parent ends, also if that has happened already.
void die_with(pid_t parent);
/// Waits for a child's end and gives the status as `waitpid` does.
int wait_for_end(pid_t child);

/// A forked child.  It runs `body` with the writing end of a pipe and then leaves without running
/// the parent's exit handlers; it dies with its parent, and where `body` throws.  Not thread-safe.
class ChildProcess {
 public:
  using Body = std::function<void(int message_fd)>;
  /// Throws `UsageError` if the system has no process or pipe left.
  explicit ChildProcess(const Body& body);
  ~ChildProcess();  ///< kills it if it is still there
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// For `poll`: readable when messages have come or the child has ended.
  [[nodiscard]] int fd() const { return fd_; }
  /// Reads what has come without waiting.  Returns false when the child has closed its end.
  bool read_some() { return reader_.read_some(fd_); }
  /// The same, once something has come or the child has closed its end.
  bool wait_and_read();
  /// The next whole message that was read, if any.
  std::optional<Message> next_message() { return reader_.next(); }
  void kill_now();
  /// Of one that has a `CrashReporter` for it: to report where it is, and end.
  void end_with_report();
  /// Waits for the end and gives the status as `waitpid` does.
  int wait();

 private:
  pid_t pid_ = -1;
  int fd_ = -1;
  MessageReader reader_;
};

}  // namespace orrery::detail
