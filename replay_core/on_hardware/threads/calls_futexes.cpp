// Waits on words of memory, by the system's call itself.  Stamps as of condition variables; of a
// word that atomics change they are those of the atomics.
#include <array>
#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdint>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bare_calls.hpp"
#include "locked_objects.hpp"
#include "next_function.hpp"
#include "recorded_call.hpp"
#include "unseen_calls.hpp"

using namespace orrery::on_hardware;
using orrery::OperationKind;

namespace {

bool waits(long operation) {
  const long command = operation & FUTEX_CMD_MASK;
  return command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET;
}
bool wakes(long operation) {
  const long command = operation & FUTEX_CMD_MASK;
  return command == FUTEX_WAKE || command == FUTEX_WAKE_BITSET || command == FUTEX_REQUEUE ||
         command == FUTEX_CMP_REQUEUE;
}

/// Whether a wait sleeps is kept, as what changes the word may not be seen: the word is looked at
/// here, and one that has changed by when the system looks has woken who sleeps.
template <typename Call>
long wait_recorded(ThreadRecord& own, const std::uint32_t* word, std::uint32_t expected,
                   const Call& call) {
  SharedObject* const object = shared_word(word);
  if (object == nullptr) return call();
  own.before_operation();
  bool sleeps = false;
  count_next(own, *object, OperationKind::condition_wait, [&](const SharedObject&) {
    sleeps = __atomic_load_n(word, __ATOMIC_SEQ_CST) == expected;
  });
  readings().drew(sleeps ? 1 : 0);
  if (!sleeps) {
    errno = EAGAIN;
    return -1;
  }
  const long result = call();
  const int error = errno;
  own.learn(last_stamp(*object));
  if (result == 0 || error == EAGAIN) return 0;
  if (error == ETIMEDOUT) own.count_timeout(own.stamp_after(0));
  errno = error;
  return result;
}

template <typename Call>
long wake_recorded(ThreadRecord& own, const std::uint32_t* word, const Call& call) {
  SharedObject* const object = shared_word(word);
  if (object == nullptr) return call();
  own.before_operation();
  count_next(own, *object, OperationKind::condition_notify);
  const long result = call();
  own.learn(last_stamp(*object));
  return result;
}

}  // namespace

ORRERY_RECORDED long syscall(long number, ...) noexcept {
  std::va_list rest;
  va_start(rest, number);
  std::array<long, 6> arguments{};
  for (long& argument : arguments) argument = va_arg(rest, long);
  va_end(rest);
  const auto call = [&] {
    return next<&::syscall>("syscall")(number, arguments[0], arguments[1], arguments[2],
                                       arguments[3], arguments[4], arguments[5]);
  };
  ThreadRecord* const own = number == SYS_futex ? recorded() : nullptr;
  if (number != SYS_futex) {
    note_unseen_call(number, __builtin_return_address(0));
    return keep_bare_call(__builtin_return_address(0), number, arguments, call());
  }
  if (own == nullptr || (!waits(arguments[1]) && !wakes(arguments[1]))) return call();
  process_record.note(orrery::thread_spool::futexes);
  const auto* const word = reinterpret_cast<const std::uint32_t*>(arguments[0]);
  if (wakes(arguments[1])) return wake_recorded(*own, word, call);
  return wait_recorded(*own, word, static_cast<std::uint32_t>(arguments[2]), call);
}
