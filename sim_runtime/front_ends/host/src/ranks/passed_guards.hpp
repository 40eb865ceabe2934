// Guards of a rank's static variables that its threads have gone past.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include <pthread.h>

namespace orrery::host {

/// Code looks at a guard without an operation, and calls the C++ library only where it finds that
/// the variable is not made.  Whether it finds that depends on when others make it, which no
/// operation of its own tells.  So a thread comes to each variable by an operation when it first
/// needs it, made or not: then the thread has the same operations in all orders that give it the
/// same.
///
/// What a run finds made when it begins is nobody's, and not kept here.
class PassedGuards {
 public:
  /// Nobody has gone past it: the thread begins to make what it guards.
  void begin(const std::int64_t* guard) { threads_.erase(guard); }
  /// The variable is made: the thread has made it, or waited for who did.
  void pass(const std::int64_t* guard, pthread_t thread) {
    std::vector<bool>& threads = threads_[guard];
    if (threads.size() <= thread) threads.resize(std::size_t{thread} + 1);
    threads[thread] = true;
  }
  /// Does the thread, who finds it made, come to it for the first time?
  [[nodiscard]] bool is_new_to(const std::int64_t* guard, pthread_t thread) const {
    const auto found = threads_.find(guard);
    if (found == threads_.end()) return false;
    return found->second.size() <= thread || !found->second[thread];
  }

 private:
  std::unordered_map<const std::int64_t*, std::vector<bool>> threads_;  // by number
};

/// The calling thread finds made what a guard is for.
void come_to_made(const std::int64_t* guard, std::uintptr_t program_counter);
/// It makes it, or has it made: by `begin` it has come to it, which gave whether it is to.
void has_begun(const std::int64_t* guard, bool is_to_make);
void has_made(const std::int64_t* guard);

}  // namespace orrery::host
