// What the stations of a Myrinet wait in: queues, one-at-a-time servers, and the list of events.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

#include <orrery/network_model/myrinet_statistics.hpp>
#include <orrery/network_model/virtual_time.hpp>

namespace orrery::detail {

/// First in, first out, in memory that is kept when it is emptied.
template <typename T>
class RingQueue {
 public:
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t size() const { return size_; }
  void clear() { size_ = 0; }

  void push(const T& item) {
    if (size_ == items_.size()) grow();
    items_[(first_ + size_++) & (items_.size() - 1)] = item;
  }
  T pop() {
    const T item = items_[first_];
    first_ = (first_ + 1) & (items_.size() - 1);
    --size_;
    return item;
  }

 private:
  void grow() {
    std::vector<T> larger(std::max<std::size_t>(4, items_.size() * 2));  // powers of two
    for (std::size_t i = 0; i < size_; ++i) larger[i] = items_[(first_ + i) & (items_.size() - 1)];
    items_.swap(larger);
    first_ = 0;
  }

  std::vector<T> items_;
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

/// Items that are named by their index, and used again.
template <typename T>
class Pool {
 public:
  std::uint32_t take(const T& item) {
    if (free_.empty()) {
      items_.push_back(item);
      return static_cast<std::uint32_t>(items_.size() - 1);
    }
    const std::uint32_t index = free_.back();
    free_.pop_back();
    items_[index] = item;
    return index;
  }
  void give_back(std::uint32_t index) { free_.push_back(index); }
  T& operator[](std::uint32_t index) { return items_[index]; }
  void clear() {
    items_.clear();
    free_.clear();
  }

 private:
  std::vector<T> items_;
  std::vector<std::uint32_t> free_;
};

enum class EventKind : std::uint8_t {
  host_done,       // subject: host
  doorbell_rung,   // message
  request_rung,    // message: a request to the card's firmware hook
  processor_done,  // host
  bus_done,        // host
  link_done,       // fragment: its last byte has left the sending card
  fragment_here,   // fragment: its last byte is in the receiving card
  noticed,         // message: the host knows that it is there
  said_arrival,    // message: it was said to arrive now
  port_done,       // host: the hook's processor at the port to it
  port_told,       // host: the port to it hears that a process there is done
  monitor_done,    // switch: its monitor
};

struct Event {
  VirtualTime date;
  std::uint64_t number = 0;  // events of one date happen in the order in which they were made
  std::uint32_t subject = 0;
  EventKind kind{};
};

/// Events by date, then in the order in which they were added.
class EventHeap {
 public:
  /// Returns the event's number.
  std::uint64_t add(VirtualTime date, EventKind kind, std::uint32_t subject) {
    heap_.push_back({date, ++last_number_, subject, kind});
    std::push_heap(heap_.begin(), heap_.end(), later);
    return last_number_;
  }
  [[nodiscard]] VirtualTime next() const {
    return heap_.empty() ? VirtualTime::never() : heap_.front().date;
  }
  Event pop() {
    std::pop_heap(heap_.begin(), heap_.end(), later);
    const Event event = heap_.back();
    heap_.pop_back();
    return event;
  }
  void clear() { heap_.clear(); }
  void reset() {
    heap_.clear();
    last_number_ = 0;
  }

 private:
  static bool later(const Event& a, const Event& b) {
    return std::tie(a.date, a.number) > std::tie(b.date, b.number);
  }
  std::vector<Event> heap_;
  std::uint64_t last_number_ = 0;
};

enum class JobKind : std::uint8_t {
  send,
  receive,
  acknowledge,   // processor: says that a message came
  acknowledged,  // processor: is told so
  request,       // host, processor: to the firmware hook
  packet,        // processor: from another card's hook
  answer,        // bus: of a hook to the host
  flush,         // bus, monitor: a firmware hook's bytes, of the subject's host
  interrupt,     // host: these are there
  finalize,      // processor, port: a firmware hook's end
};

/// Something to do for a message or fragment, or a firmware hook.
struct Job {
  std::uint32_t subject = 0;
  JobKind kind = JobKind::send;
  VirtualDuration duration;
  VirtualTime since;            // waiting
  std::uint64_t dma_bytes = 0;  // of a hook: to flush afterwards, or in this flush
};

/// Does one job at a time, in order of arrival.
struct Server {
  bool busy = false;
  Job current;
  RingQueue<Job> waiting;
  StationUse use;

  void reset() {
    busy = false;
    waiting.clear();
    use = {};
  }
};

/// One direction of one link, held by one fragment at a time.
struct Link {
  bool held = false;
  VirtualTime since;  // held
  struct Waiter {
    std::uint32_t fragment = 0;
    VirtualTime since;
  };
  RingQueue<Waiter> waiting;
  VirtualDuration work_given;   // of all fragments that asked for it
  VirtualDuration work_done;    // of those that have left it
  VirtualDuration holder_work;  // of the one that holds it
  LinkStatistics statistics;

  void reset() {
    held = false;
    waiting.clear();
    work_given = work_done = holder_work = {};
    statistics = {};
  }
};

}  // namespace orrery::detail
