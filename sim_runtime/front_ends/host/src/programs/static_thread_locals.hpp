// Thread-local variables that a program reaches without asking where they are.
#pragma once

#include <cstddef>
#include <vector>

#include <orrery/sim_runtime/memory_range.hpp>

namespace orrery::host {

class ThreadContext;

/// Thread-local variables whose place, as seen from the thread pointer, compilers and linkers have
/// fixed: those of an executable, and of libraries that were built so (DF_STATIC_TLS).  All threads
/// of a program run on one thread of the system, and have them at the same addresses: what each
/// has there is exchanged when another one goes on.
///
/// So a pointer to such a variable of another thread leads to the reader's own.
class StaticThreadLocals {
 public:
  /// Looks which modules of a program have some, after it has been loaded, or has loaded more. What
  /// those hold with which the process began is what the first thread will find; all else is as the
  /// files say.
  void find();
  /// From here on the variables are those of `thread`.
  void exchange(ThreadContext& thread) const;
  [[nodiscard]] bool are_there() const { return !blocks_.empty(); }
  /// Where those of the thread are now, in an order that does not depend on where that is.
  [[nodiscard]] std::vector<MemoryRange> ranges_of(const ThreadContext& thread) const;
  /// Of a module of the loader's, for the running thread; null if it has none.
  [[nodiscard]] std::byte* block_of(std::size_t module) const;

 private:
  struct Block {
    std::size_t module = 0;
    std::ptrdiff_t offset = 0;  ///< from the thread pointer
    std::size_t bytes = 0;
    std::vector<std::byte> image;  ///< what a new thread finds
    std::vector<std::byte> first;  ///< what the first thread finds
  };
  void note(Block block);
  static std::byte* place_of(const Block& block);

  std::vector<Block> blocks_;
};

/// Those of the programs of this process.
StaticThreadLocals& static_thread_locals();

}  // namespace orrery::host
