// std::cout and its kin, for the ranks.
#pragma once

#include <iosfwd>
#include <memory>

namespace orrery::host {

/// While it lives, what ranks write to std::cout, std::cerr and std::clog goes to their own
/// `stdout` and `stderr`, and std::cin reads what their `stdin` does.  For everybody else nothing
/// changes.
class StandardStreams {
 public:
  StandardStreams();
  ~StandardStreams();
  StandardStreams(const StandardStreams&) = delete;
  StandardStreams& operator=(const StandardStreams&) = delete;

 private:
  class Redirection;
  std::unique_ptr<Redirection> output_;
  std::unique_ptr<Redirection> errors_;
  std::unique_ptr<Redirection> log_;
  std::unique_ptr<Redirection> input_;
};

}  // namespace orrery::host
