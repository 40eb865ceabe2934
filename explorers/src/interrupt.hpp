// Ctrl-C while a search goes on.
#pragma once

#include <csignal>

namespace orrery::detail {

/// Takes SIGINT over as long as it lives and gives it back afterwards.  One at a time in a process.
class InterruptGuard {
 public:
  /// `is_on` false: leaves the signal alone.
  explicit InterruptGuard(bool is_on);
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  [[nodiscard]] bool was_interrupted() const;

 private:
  bool is_on_;
  struct sigaction before_ {};
};

}  // namespace orrery::detail
