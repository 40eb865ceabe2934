#include "packet_pool.hpp"

#include <cassert>

namespace pool {

PacketPool::PacketPool(std::uint32_t size) : packets_(size), head_(no_packet) {
  for (PacketIndex index = size; index-- > 0;) push(index);
}

PacketPool::Head PacketPool::next_head(Head old, PacketIndex index) {
#ifdef BUG
  (void)old;
  return index;  // BUG: a head that went and came back looks as if it had never gone
#else
  const Head tag = (old >> 32) + 1;
  return (tag << 32) | index;
#endif
}

PacketIndex PacketPool::pop() {
  Head head = head_.load(std::memory_order_acquire);
  while (index_of(head) != no_packet) {
    const PacketIndex next = packets_[index_of(head)].next.load(std::memory_order_relaxed);
    if (head_.compare_exchange_weak(head, next_head(head, next), std::memory_order_acq_rel,
                                    std::memory_order_acquire)) {
      return index_of(head);
    }
  }
  return no_packet;
}

void PacketPool::push(PacketIndex index) {
  Head head = head_.load(std::memory_order_relaxed);
  do {
    packets_[index].next.store(index_of(head), std::memory_order_relaxed);
  } while (!head_.compare_exchange_weak(head, next_head(head, index), std::memory_order_acq_rel,
                                        std::memory_order_relaxed));
}

PacketIndex PacketPool::take(std::uint32_t owner) {
  const PacketIndex index = pop();
  if (index == no_packet) return no_packet;
  const std::uint32_t before = packets_[index].owner.exchange(owner, std::memory_order_acq_rel);
  assert(before == 0 && "a packet has two owners");
  (void)before;
  return index;
}

void PacketPool::give_back(PacketIndex index, std::uint32_t owner) {
  const std::uint32_t before = packets_[index].owner.exchange(0, std::memory_order_acq_rel);
  assert(before == owner && "a packet is given back by somebody else");
  (void)before;
  (void)owner;
  push(index);
}

long PacketPool::count_free() const {
  std::vector<bool> seen(packets_.size(), false);
  long count = 0;
  for (PacketIndex index = index_of(head_.load()); index != no_packet;
       index = packets_[index].next.load()) {
    if (index >= packets_.size() || seen[index]) return -1;
    seen[index] = true;
    ++count;
  }
  return count;
}

}  // namespace pool
