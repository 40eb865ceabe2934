// The receives of a rank that are under way, and the persistent ones, by their handles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <mpi.h>

/// A table with open addresses: a request costs a few loads.
class ReceivesUnderWay {
 public:
  struct Receive {
    MPI_Request handle = nullptr;  ///< null: nothing is here
    bool is_persistent = false;
    bool is_active = false;
  };

  [[nodiscard]] Receive* find(MPI_Request handle) {
    for (std::size_t at = home(handle); slots_[at].handle != nullptr; at = next(at)) {
      if (slots_[at].handle == handle) return &slots_[at];
    }
    return nullptr;
  }
  void add(MPI_Request handle, bool is_persistent) {
    if (Receive* const known = find(handle)) remove(*known);
    if (2 * (count_ + 1) > slots_.size()) grow();
    ++count_;
    put({handle, is_persistent, !is_persistent});
  }
  void start(MPI_Request handle) {
    if (Receive* const known = find(handle)) known->is_active = true;
  }
  void complete(Receive& receive) {
    receive.is_active = false;
    if (!receive.is_persistent) remove(receive);
  }
  void forget(MPI_Request handle) {
    if (Receive* const known = find(handle)) remove(*known);
  }

 private:
  [[nodiscard]] std::size_t home(MPI_Request handle) const {
    const auto bits = reinterpret_cast<std::uintptr_t>(handle) >> 4U;
    return (bits ^ bits >> 9U) & (slots_.size() - 1);
  }
  [[nodiscard]] std::size_t next(std::size_t at) const { return (at + 1) & (slots_.size() - 1); }
  void put(const Receive& receive) {
    std::size_t at = home(receive.handle);
    while (slots_[at].handle != nullptr) at = next(at);
    slots_[at] = receive;
  }
  void grow() {
    std::vector<Receive> old(2 * slots_.size());
    old.swap(slots_);
    for (const Receive& receive : old) {
      if (receive.handle != nullptr) put(receive);
    }
  }
  void remove(Receive& receive) {
    auto at = static_cast<std::size_t>(&receive - slots_.data());
    slots_[at] = {};
    --count_;
    // Those behind it may have been put there because it was in their way.
    for (at = next(at); slots_[at].handle != nullptr; at = next(at)) {
      const Receive moved = slots_[at];
      slots_[at] = {};
      put(moved);
    }
  }

  std::vector<Receive> slots_ = std::vector<Receive>(64);  ///< a power of two, half of them free
  std::size_t count_ = 0;
};
