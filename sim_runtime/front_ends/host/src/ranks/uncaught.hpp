// What nobody catches.
#pragma once

#include <exception>

namespace orrery::host {

/// While it lives, an exception that a simulated program does not catch is a finding, with the
/// stack as it was when it was thrown: the C++ library asks first whether anybody will catch it.
class UncaughtExceptions {
 public:
  UncaughtExceptions();
  ~UncaughtExceptions();
  UncaughtExceptions(const UncaughtExceptions&) = delete;
  UncaughtExceptions& operator=(const UncaughtExceptions&) = delete;

 private:
  std::terminate_handler before_;
};

}  // namespace orrery::host
