// Values of a thread's own (`pthread_key_create`), for each simulated thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <limits.h>
#include <pthread.h>

namespace orrery::host {

class ThreadContext;

/// What is called with the value of a thread that ends.
using KeyDestructor = void (*)(void*);

/// The keys that the program's code has made, of one rank.
struct ThreadKeys {
  struct Key {
    bool is_used = false;
    KeyDestructor destructor = nullptr;
  };
  std::vector<Key> keys;
  /// As those of the C library have only small numbers.
  static constexpr pthread_key_t first = 1U << 16U;
};

/// Keys of the C library's that libraries of a program have made while they were loaded, or, once
/// for all runs, when a run first needed them: each simulated thread has its own value, and what
/// the library wants done with it when the thread ends.  Those of the host's own libraries, and of
/// sanitizers, are older; their values are the C library's business.
///
/// Keys are made before constructors of ours have run.
class LibraryKeys {
 public:
  /// A key was made by code that lies there.
  void note(pthread_key_t key, std::uintptr_t maker, KeyDestructor destructor);
  void forget(pthread_key_t key);
  /// Of the keys that were made before the program began, its libraries' are told apart from ours:
  /// in a process that was taken over.
  void take();
  [[nodiscard]] bool have(pthread_key_t key) const {
    return key < keys_.size() && keys_[key].is_of_library;
  }
  [[nodiscard]] KeyDestructor destructor_of(pthread_key_t key) const {
    return keys_[key].destructor;
  }

 private:
  struct Key {
    bool is_of_library = false;
    std::uintptr_t maker = 0;
    KeyDestructor destructor = nullptr;
  };
  std::array<Key, PTHREAD_KEYS_MAX> keys_{};
};

/// Those of this process.
extern constinit LibraryKeys library_keys;

/// Where a thread keeps the value of a key, which is the rank's or a library's.
void*& value_of(ThreadContext& thread, pthread_key_t key);
/// Hands over the values of a thread that ends to those whose keys they are of.
void call_key_destructors(ThreadContext& thread);

}  // namespace orrery::host
