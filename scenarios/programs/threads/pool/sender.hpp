// Takes the finished packets of all flows and adds up what was in them.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

#include "packet_pool.hpp"

namespace pool {

class Sender {
 public:
  Sender(PacketPool& packets, std::size_t flows) : packets_(packets), next_(flows, 0) {}

  // From any flow.
  void send(PacketIndex index);
  // No more will come.
  void close();

  // The thread of the sender: ends when closed and empty.
  void run();

  [[nodiscard]] std::uint64_t sum() const { return sum_; }
  [[nodiscard]] long sent() const { return sent_; }
  // Packets that were damaged, or came before an earlier one of their flow.
  [[nodiscard]] long bad() const { return bad_; }

  static constexpr std::uint32_t owner = 0x5e;

 private:
  void transmit(PacketIndex index);

  PacketPool& packets_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<PacketIndex> waiting_;
  bool closed_ = false;

  std::vector<std::uint32_t> next_;  // the number that is due, of each flow
  std::uint64_t sum_ = 0;
  long sent_ = 0;
  long bad_ = 0;
};

// What a flow puts into word `word` of packet `number`.
[[nodiscard]] std::uint32_t payload_word(std::uint32_t flow, std::uint32_t number,
                                         std::uint32_t word);

}  // namespace pool
