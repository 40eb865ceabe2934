#include "epoll_list.hpp"

#include <algorithm>

#include "next_function.hpp"

namespace orrery::on_hardware {

int EpollList::change(int list, int operation, int file, epoll_event* event) {
  const auto real_one = next<&::epoll_ctl>("epoll_ctl");
  const auto last = std::find_if(interests_.rbegin(), interests_.rend(), [=](const Interest& one) {
    return one.file == file && !one.is_gone;
  });
  const bool is_new = operation == EPOLL_CTL_ADD;
  if (event == nullptr || (!is_new && last == interests_.rend())) {
    const int error = real_one(list, operation, file, event);
    if (error == 0 && operation == EPOLL_CTL_DEL && last != interests_.rend()) last->is_gone = true;
    return error;
  }
  epoll_event numbered = *event;
  numbered.data.u64 =
      is_new ? interests_.size() : static_cast<std::uint64_t>(interests_.rend() - last) - 1;
  if (real_one(list, operation, file, &numbered) != 0) return -1;
  if (is_new) {
    interests_.push_back({file, false, event->data, orrery::on_hardware::ends_of(file)});
  } else if (operation == EPOLL_CTL_DEL) {
    last->is_gone = true;
  } else {
    last->data = event->data;
  }
  return 0;
}

}  // namespace orrery::on_hardware
