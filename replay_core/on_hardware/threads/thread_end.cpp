#include "thread_end.hpp"

#include <cstddef>
#include <cstdint>

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "locked_objects.hpp"
#include "made_once.hpp"
#include "process_record.hpp"
#include "thread_memory.hpp"

namespace orrery::on_hardware {
namespace {

/// Of a robust mutex that is to be inherited by priority, too, the lowest bit is set.
std::uintptr_t entry(const robust_list* next) {
  return reinterpret_cast<std::uintptr_t>(next) & ~std::uintptr_t{1};
}

/// The kernel is about to tell whoever comes to them that their holder has died: the last one
/// first, as the C library keeps them.
void give_back_robust_mutexes(ThreadRecord& own) {
  robust_list_head* head = nullptr;
  std::size_t bytes = 0;
  if (syscall(SYS_get_robust_list, 0, &head, &bytes) != 0 || head == nullptr) return;
  const std::uintptr_t end = entry(&head->list);
  for (std::uintptr_t at = entry(head->list.next); at != end;) {
    const std::uintptr_t mutex = at + static_cast<std::uintptr_t>(head->futex_offset);
    at = entry(reinterpret_cast<const robust_list*>(at)->next);
    SharedObject* const object = shared_object(reinterpret_cast<const void*>(mutex));
    if (object == nullptr) return;
    own.before_operation();
    object->depth = 1;
    own.count(OperationKind::mutex_unlock, give_back(own, *object, 0));
  }
}

void end_thread() {
  ThreadRecord* const own = recorded();
  if (own == nullptr) return;
  give_back_robust_mutexes(*own);
  ThreadMemory* const memory = own->memory();
  if (memory == nullptr) return;
  memory->release();
  memory->end();
}

// Destructors of thread-local variables come before those of keys, and these come in rounds, since
// they may set values again: we wait for the last one.
class Rounds {
 public:
  Rounds();
  void begin(std::uintptr_t number) {
    if (is_there_) pthread_setspecific(key_, reinterpret_cast<const void*>(number));
  }

 private:
  pthread_key_t key_{};
  bool is_there_ = false;
};
constinit MadeOnce<Rounds> rounds;

void end_round(void* value) {
  const auto round = reinterpret_cast<std::uintptr_t>(value);
  if (round == PTHREAD_DESTRUCTOR_ITERATIONS) return end_thread();
  rounds.get().begin(round + 1);
}

Rounds::Rounds() : is_there_(pthread_key_create(&key_, end_round) == 0) {}

}  // namespace

void watch_thread_end() {
  rounds.get().begin(1);
}

}  // namespace orrery::on_hardware
