// The one order of all writes, by `global-writes`.
#include "memory_record.hpp"
#include "thread_memory.hpp"

namespace orrery::on_hardware {

/// Those of one access come one after the other: a replay does them at once.
void ThreadMemory::count_writes(const WordRange& range) {
  std::uint64_t before = process_.writes();
  std::uint32_t writer = 0;
  bool is_others = false;
  do {
    writer = SharedWord::writer(before);
    is_others = writer != number() + 1 && writer != 0;
    // Whoever counts next may learn from this thread at once.
    if (is_others) learn_from(writer - 1);
    note_writes_before(before);
  } while (!process_.count_writes(before, number(), range.words, holds_writes_));
  if ((before & SharedWord::worn) != 0) end_record();
  if (is_others) write_turn(memory_spool::all_variables, before, writer - 1);
  std::uint64_t version = SharedWord::version(before);
  for (std::uint64_t place = range.first; place < range.first + range.words; ++place) {
    version += 2;
    // Who has taken it sets it to the next version when the access is over.
    words_.at(place).state.store(SharedWord::taken_for(version, number()),
                                 std::memory_order_release);
  }
  known_writes_ = version;
}

/// Others may count theirs behind it before this thread has written down that it took its turn: it
/// may be killed between the two.
void ThreadMemory::note_writes_before(std::uint64_t state) {
  const std::uint32_t writer = SharedWord::writer(state);
  header_->writer_before = writer == 0 ? memory_spool::nobody : writer - 1;
  __atomic_store_n(&header_->writes_before, SharedWord::version(state) / 2 + 1, __ATOMIC_RELEASE);
}

void ThreadMemory::stop_holding_writes() {
  process_.stop_holding_writes();
  holds_writes_ = false;
}

}  // namespace orrery::on_hardware
