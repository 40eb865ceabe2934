// What a list of `epoll` has been asked to look at: in place of the program's words the system has
// numbers, so that a log can say what was found.
#pragma once

#include <cstdint>
#include <vector>

#include <sys/epoll.h>

#include "transfer_order.hpp"

namespace orrery::on_hardware {

/// Its functions are called by who has its guard.
class EpollList {
 public:
  /// Had while it is changed, or while what was found is looked up.
  Queue changes;

  /// As `epoll_ctl`.
  int change(int list, int operation, int file, epoll_event* event);
  /// Gives the program its word in place of the number, where that is one: a system call by its
  /// number may have gone past us.
  void give(epoll_event& found) const {
    if (found.data.u64 < interests_.size()) found.data = interests_[found.data.u64].data;
  }
  [[nodiscard]] const Ends* ends_of(const epoll_event& found) const {
    return found.data.u64 < interests_.size() ? interests_[found.data.u64].ends : nullptr;
  }

 private:
  struct Interest {
    int file;
    bool is_gone;
    epoll_data_t data;
    const Ends* ends;
  };
  /// Nothing is taken away: another thread may just have found it.
  std::vector<Interest> interests_;
};

}  // namespace orrery::on_hardware
