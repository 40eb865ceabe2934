#include "thread_keys.hpp"

#include <utility>

#include "next_function.hpp"
#include "programs/program_modules.hpp"
#include "rank_context.hpp"

namespace orrery::host {
namespace {

bool is_first(const ThreadContext& thread) {
  return &thread == &thread.rank().threads.front();
}

/// What a library has set while it was loaded, on the thread that loads.
void* value_when_loaded(pthread_key_t key) {
  return original<&pthread_getspecific>("pthread_getspecific")(key);
}

/// What a thread has given up, and who wants to know; null: nobody.
struct GivenUp {
  void* value = nullptr;
  KeyDestructor destructor = nullptr;
};

GivenUp give_up_of_rank(ThreadContext& thread, std::size_t index) {
  void* const value = std::exchange(thread.specific[index], nullptr);
  const ThreadKeys::Key& key = thread.rank().keys.keys[index];
  return {value, value != nullptr && key.is_used ? key.destructor : nullptr};
}

GivenUp give_up_of_library(ThreadContext& thread, pthread_key_t key) {
  void* const value = std::exchange(thread.library_specific[key], nullptr);
  if (value == nullptr || !library_keys.have(key)) return {};
  // The next run finds it as this one did.
  if (is_first(thread) && value == value_when_loaded(key)) return {};
  return {value, library_keys.destructor_of(key)};
}

/// Was there any?
bool call_each_once(ThreadContext& thread) {
  bool was_called = false;
  const auto call = [&was_called](const GivenUp& given) {
    if (given.destructor == nullptr) return;
    was_called = true;
    given.destructor(given.value);
  };
  // A destructor may set values of keys that the thread has had none of.
  for (std::size_t i = 0; i < thread.library_specific.size(); ++i) {
    call(give_up_of_library(thread, static_cast<pthread_key_t>(i)));
  }
  for (std::size_t i = 0; i < thread.specific.size(); ++i) call(give_up_of_rank(thread, i));
  return was_called;
}

}  // namespace

constinit LibraryKeys library_keys;

void LibraryKeys::note(pthread_key_t key, std::uintptr_t maker, KeyDestructor destructor) {
  keys_[key] = {has_programs(), maker, destructor};
}

void LibraryKeys::forget(pthread_key_t key) {
  if (key < keys_.size()) keys_[key] = {};
}

void LibraryKeys::take() {
  for (Key& key : keys_) {
    key.is_of_library = key.maker != 0 && program_modules.came_with_program(key.maker);
  }
}

void*& value_of(ThreadContext& thread, pthread_key_t key) {
  const bool is_ours = key >= ThreadKeys::first;
  auto& values = is_ours ? thread.specific : thread.library_specific;
  const std::size_t index = is_ours ? key - ThreadKeys::first : key;
  if (index >= values.size()) {
    const HostScope ours;
    const std::size_t begin = values.size();
    values.resize(index + 1);
    // What libraries have set while they were loaded, they have set for the first thread.
    for (std::size_t i = begin; !is_ours && is_first(thread) && i <= index; ++i) {
      const auto one = static_cast<pthread_key_t>(i);
      if (library_keys.have(one)) values[i] = value_when_loaded(one);
    }
  }
  return values[index];
}

void call_key_destructors(ThreadContext& thread) {
  // A destructor may set values again: POSIX has at least four rounds.
  for (int round = 0; round < PTHREAD_DESTRUCTOR_ITERATIONS; ++round) {
    if (!call_each_once(thread)) break;
  }
}

}  // namespace orrery::host
