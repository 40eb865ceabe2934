// Objects whose addresses are handles of a program.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <memory>
#include <vector>

#include "calls/call_sites.hpp"
#include "handles.hpp"

namespace orrery::mpi {

/// Makes objects at stable addresses and knows which addresses are its own.  A slot is used again
/// only after many others, so that a handle that was kept after its object was freed is recognised.
template <typename Object, HandleKind kind, std::size_t chunk_size = 64>
class HandlePool {
 public:
  /// `sites` knows the call under way, which objects will be said to be made and freed by.
  explicit HandlePool(const CallSites& sites) : sites_(&sites) {}

  Object* create() {
    if (freed_.size() <= quarantine && next_ == chunks_.size() * chunk_size) add_chunk();
    Object* object = nullptr;
    if (next_ < chunks_.size() * chunk_size) {
      object = &chunks_[next_ / chunk_size][next_ % chunk_size];
      ++next_;
    } else {
      object = freed_.front();
      freed_.pop_front();
      *object = Object{};
    }
    object->header = {created_magic, kind, 0, sites_->current(), {}};
    return object;
  }

  void destroy(Object* object) {
    object->header.kind = HandleKind::none;
    mark_freed(object);
    freed_.push_back(object);
  }

  /// The program has freed it, though it may live on for what is under way.
  void mark_freed(Object* object) {
    if (object->header.freed.pc == 0) object->header.freed = sites_->current();
  }

  /// Is this the address of an object that lives?
  [[nodiscard]] bool contains(const Object* object) const {
    return owns(object) && object->header.kind == kind;
  }
  /// Is this the address of an object that lives or has lived?
  [[nodiscard]] bool owns(const Object* object) const {
    const auto address = reinterpret_cast<std::uintptr_t>(object);
    const auto after = std::upper_bound(starts_.begin(), starts_.end(), address);
    if (after == starts_.begin()) return false;
    const std::uintptr_t offset = address - *std::prev(after);
    return offset < chunk_size * sizeof(Object) && offset % sizeof(Object) == 0;
  }

  /// Visits the living objects in the order in which their slots were made.
  template <typename Visitor>
  void for_each(Visitor&& visit) {
    for (std::size_t slot = 0; slot < next_; ++slot) {
      Object& object = chunks_[slot / chunk_size][slot % chunk_size];
      if (object.header.kind == kind) visit(object);
    }
  }

 private:
  static constexpr std::size_t quarantine = 256;

  void add_chunk() {
    chunks_.push_back(std::make_unique<Object[]>(chunk_size));
    const auto start = reinterpret_cast<std::uintptr_t>(chunks_.back().get());
    starts_.insert(std::upper_bound(starts_.begin(), starts_.end(), start), start);
  }

  const CallSites* sites_;
  std::vector<std::unique_ptr<Object[]>> chunks_;
  std::vector<std::uintptr_t> starts_;  // of the chunks, sorted; only ever looked up
  std::size_t next_ = 0;                // slots that were handed out at least once
  std::deque<Object*> freed_;
};

}  // namespace orrery::mpi
