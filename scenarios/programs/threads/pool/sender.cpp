#include "sender.hpp"

namespace pool {

std::uint32_t payload_word(std::uint32_t flow, std::uint32_t number, std::uint32_t word) {
  std::uint32_t mixed = (flow * 0x9e3779b9U) ^ (number * 0x85ebca6bU) ^ (word * 0xc2b2ae35U);
  mixed ^= mixed >> 15;
  return mixed * 0x2c1b3c6dU;
}

void Sender::send(PacketIndex index) {
  const std::lock_guard<std::mutex> lock(mutex_);
  waiting_.push_back(index);
  changed_.notify_one();
}

void Sender::close() {
  const std::lock_guard<std::mutex> lock(mutex_);
  closed_ = true;
  changed_.notify_one();
}

void Sender::transmit(PacketIndex index) {
  Packet& packet = packets_.at(index);
  std::uint32_t word = 0;
  bool damaged = packet.number != next_[packet.flow];
  for (const std::uint32_t value : packet.payload) {
    damaged |= value != payload_word(packet.flow, packet.number, word++);
    sum_ += value;
  }
  ++next_[packet.flow];
  ++sent_;
  if (damaged) ++bad_;
  packets_.give_back(index, packet.flow + 1);
}

void Sender::run() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return closed_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    const PacketIndex index = waiting_.front();
    waiting_.pop_front();
    lock.unlock();
    transmit(index);
    lock.lock();
  }
}

}  // namespace pool
