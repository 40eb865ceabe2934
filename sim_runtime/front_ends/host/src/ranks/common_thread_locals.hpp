// Thread-local variables that all threads of programs have at one address.
#pragma once

#include <cstdint>

namespace orrery::host {

/// The block in which the loader keeps the thread-local variables of the libraries that were there
/// from the start: errno, what std::call_once hands over.  Threads of programs run on one thread of
/// the system, and what each has there is exchanged at switches: accesses to it are no accesses to
/// common memory, though the addresses are the same.
class CommonThreadLocals {
 public:
  /// Looks where they are for the running thread of the system; again only if it is another one.
  void find();
  [[nodiscard]] bool have(std::uint64_t address) const { return address - begin_ < size_; }

 private:
  std::uint64_t thread_ = 0;
  std::uint64_t begin_ = 0;
  std::uint64_t size_ = 0;
};

}  // namespace orrery::host
