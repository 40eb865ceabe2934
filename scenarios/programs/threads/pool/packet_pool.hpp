// Packets of fixed size, handed out and taken back without locks: Treiber's stack (IBM 1986).
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

namespace pool {

using PacketIndex = std::uint32_t;
inline constexpr PacketIndex no_packet = 0xffffffff;

struct Packet {
  std::atomic<PacketIndex> next{no_packet};  // where the packet is free
  std::atomic<std::uint32_t> owner{0};       // 0: it is free
  std::uint32_t flow = 0;
  std::uint32_t number = 0;
  std::array<std::uint32_t, 12> payload{};
};

class PacketPool {
 public:
  explicit PacketPool(std::uint32_t size);

  // A packet that belongs to `owner` (not 0) from now on, or `no_packet`.
  [[nodiscard]] PacketIndex take(std::uint32_t owner);
  void give_back(PacketIndex index, std::uint32_t owner);

  [[nodiscard]] Packet& at(PacketIndex index) { return packets_[index]; }
  // How many are free, and each once; -1 if the list is broken.  When nobody else is at work.
  [[nodiscard]] long count_free() const;

 private:
  // The index of the first free packet, and a tag that each change makes another.
  using Head = std::uint64_t;
  static PacketIndex index_of(Head head) { return static_cast<PacketIndex>(head); }
  static Head next_head(Head old, PacketIndex index);

  PacketIndex pop();
  void push(PacketIndex index);

  std::vector<Packet> packets_;
  std::atomic<Head> head_;
};

}  // namespace pool
