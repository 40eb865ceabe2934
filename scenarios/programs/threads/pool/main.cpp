// pool [PACKETS_PER_FLOW] [FLOWS] [POOL_SIZE]: flows fill packets of one pool, a sender sends them.
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "packet_pool.hpp"
#include "sender.hpp"

namespace {

using pool::PacketIndex;
using pool::PacketPool;
using pool::Sender;

// Waits for a free packet: the sender will give one back.
PacketIndex take_one(PacketPool& packets, std::uint32_t flow) {
  while (true) {
    const PacketIndex index = packets.take(flow + 1);
    if (index != pool::no_packet) return index;
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
}

void fill(pool::Packet& packet, std::uint32_t flow, std::uint32_t number) {
  packet.flow = flow;
  packet.number = number;
  std::uint32_t word = 0;
  for (std::uint32_t& value : packet.payload) value = pool::payload_word(flow, number, word++);
}

// Every third packet finds after all that it has nothing to say, and goes back at once.
void run_flow(PacketPool& packets, Sender& sender, std::uint32_t flow, std::uint32_t count) {
  for (std::uint32_t number = 0; number < count; ++number) {
    const PacketIndex index = take_one(packets, flow);
    if (number % 3 == 1) {
      const PacketIndex spare = packets.take(flow + 1);
      if (spare != pool::no_packet) packets.give_back(spare, flow + 1);
    }
    fill(packets.at(index), flow, number);
    sender.send(index);
  }
}

std::uint64_t expected_sum(std::uint32_t flows, std::uint32_t count) {
  constexpr auto words =
      static_cast<std::uint32_t>(std::tuple_size<decltype(pool::Packet::payload)>::value);
  std::uint64_t sum = 0;
  for (std::uint32_t flow = 0; flow < flows; ++flow) {
    for (std::uint32_t number = 0; number < count; ++number) {
      for (std::uint32_t word = 0; word < words; ++word) {
        sum += pool::payload_word(flow, number, word);
      }
    }
  }
  return sum;
}

std::uint32_t argument(int argc, char** argv, int i, int otherwise) {
  const int value = argc > i ? std::atoi(argv[i]) : otherwise;
  if (value < 1) {
    std::fprintf(stderr, "usage: pool [PACKETS_PER_FLOW] [FLOWS] [POOL_SIZE], each at least 1\n");
    std::exit(2);
  }
  return static_cast<std::uint32_t>(value);
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint32_t count = argument(argc, argv, 1, 8);
  const std::uint32_t flows = argument(argc, argv, 2, 3);
  const std::uint32_t size = argument(argc, argv, 3, 4);
  PacketPool packets(size);
  Sender sender(packets, flows);

  std::thread sending([&sender] { sender.run(); });
  std::vector<std::thread> threads;
  for (std::uint32_t flow = 0; flow < flows; ++flow) {
    threads.emplace_back(
        [&packets, &sender, flow, count] { run_flow(packets, sender, flow, count); });
  }
  for (std::thread& thread : threads) thread.join();
  sender.close();
  sending.join();

  std::printf("pool: %ld packets, sum %llx, %ld of %u free\n", sender.sent(),
              static_cast<unsigned long long>(sender.sum()), packets.count_free(), size);
  if (sender.bad() != 0 || packets.count_free() != static_cast<long>(size) ||
      sender.sum() != expected_sum(flows, count)) {
    std::printf("wrong: %ld packets are bad, the sum should be %llx\n", sender.bad(),
                static_cast<unsigned long long>(expected_sum(flows, count)));
    return 1;
  }
  return 0;
}
