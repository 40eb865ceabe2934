// Waits on words of memory, by the system's call itself.  Stamps as of condition variables; of a
// word that atomics change they are those of the atomics.
#include <array>
#include <cerrno>
#include <climits>
#include <cstdarg>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "locked_objects.hpp"
#include "next_function.hpp"
#include "recorded_call.hpp"

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

template <typename Call>
long futex_recorded(ThreadRecord& own, const volatile void* word, long operation,
                    const Call& call) {
  SharedObject* const object = shared_object(word);
  if (object == nullptr) return call();
  own.before_operation();
  const bool is_wait = waits(operation);
  own.count(is_wait ? OperationKind::condition_wait : OperationKind::condition_notify,
            next_stamp(own, *object, [](const SharedObject&) {}));
  const long result = call();
  const int error = errno;
  own.learn(object->stamp.load(std::memory_order_acquire));
  if (is_wait && result < 0 && error == ETIMEDOUT) own.count_timeout(own.stamp_after(0));
  errno = error;
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
  if (own == nullptr || (!waits(arguments[1]) && !wakes(arguments[1]))) return call();
  process_record.note(orrery::thread_spool::futexes);
  return futex_recorded(*own, reinterpret_cast<const void*>(arguments[0]), arguments[1], call);
}
