// Values of a thread's own: in a rank, of a simulated thread.
#include <algorithm>
#include <cerrno>

#include <limits.h>
#include <pthread.h>

#include "caller.hpp"
#include "ranks/next_function.hpp"
#include "ranks/rank_context.hpp"
#include "ranks/thread_keys.hpp"

using orrery::host::HostScope;
using orrery::host::library_keys;
using orrery::host::original;
using orrery::host::running;
using orrery::host::ThreadContext;
using orrery::host::ThreadKeys;
using orrery::host::value_of;

namespace {

/// Is the value to be had from the C library?
bool is_of_the_host(pthread_key_t key) {
  return key < ThreadKeys::first && !library_keys.have(key);
}

}  // namespace

extern "C" {

extern const char orrery_interposed_keys;
const char orrery_interposed_keys = 0;

int pthread_key_create(pthread_key_t* key, void (*destructor)(void*)) noexcept {
  if (running().user == nullptr) {
    const int error = original<&pthread_key_create>("pthread_key_create")(key, destructor);
    if (error == 0) library_keys.note(*key, ORRERY_CALLER, destructor);
    return error;
  }
  auto& keys = running().user->keys.keys;
  const auto free = std::ranges::find(keys, false, &ThreadKeys::Key::is_used);
  const auto index = static_cast<std::size_t>(free - keys.begin());
  if (index >= PTHREAD_KEYS_MAX) return EAGAIN;
  if (free == keys.end()) {
    const HostScope ours;
    keys.emplace_back();
  }
  keys[index] = {true, destructor};
  for (ThreadContext& thread : running().user->threads) {
    if (index < thread.specific.size()) thread.specific[index] = nullptr;
  }
  *key = ThreadKeys::first + static_cast<pthread_key_t>(index);
  return 0;
}

int pthread_key_delete(pthread_key_t key) noexcept {
  if (running().user == nullptr || key < ThreadKeys::first) {
    library_keys.forget(key);
    return original<&pthread_key_delete>("pthread_key_delete")(key);
  }
  auto& keys = running().user->keys.keys;
  const std::size_t index = key - ThreadKeys::first;
  if (index >= keys.size() || !keys[index].is_used) return EINVAL;
  keys[index] = {};
  return 0;
}

void* pthread_getspecific(pthread_key_t key) noexcept {
  if (running().user == nullptr || is_of_the_host(key)) {
    return original<&pthread_getspecific>("pthread_getspecific")(key);
  }
  return value_of(*running().thread, key);
}

int pthread_setspecific(pthread_key_t key, const void* value) noexcept {
  if (running().user == nullptr || is_of_the_host(key)) {
    return original<&pthread_setspecific>("pthread_setspecific")(key, value);
  }
  const auto& keys = running().user->keys.keys;
  if (key >= ThreadKeys::first) {
    const std::size_t index = key - ThreadKeys::first;
    if (index >= keys.size() || !keys[index].is_used) return EINVAL;
  }
  value_of(*running().thread, key) = const_cast<void*>(value);
  return 0;
}
}
