// Which call of the interface each thread of a rank is making.
#pragma once

#include <map>

#include <orrery/sim_runtime/runtime_table.h>

#include "handles/handles.hpp"

namespace orrery::mpi {

/// The calls under way of one rank, by thread.
class CallSites {
 public:
  void use(const OrreryRuntime& table) { table_ = &table; }
  /// The calling thread makes this call.
  void enter(OrreryThread thread, const CallSite& site) {
    if (thread != last_thread_) {
      last_ = &sites_[thread];
      last_thread_ = thread;
    }
    *last_ = site;
  }
  /// The call of the calling thread; for a thread of the library's own, the newest one.
  [[nodiscard]] const CallSite& current() const {
    if (sites_.size() < 2) return *last_;
    const auto found = sites_.find(table_->current_thread());
    return found == sites_.end() ? *last_ : found->second;
  }

 private:
  const OrreryRuntime* table_ = nullptr;
  std::map<OrreryThread, CallSite> sites_;
  OrreryThread last_thread_ = 0;
  CallSite* last_ = &none_;
  CallSite none_;
};

}  // namespace orrery::mpi
