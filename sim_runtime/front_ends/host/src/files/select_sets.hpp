// `select` as `poll` does it, for real threads that are recorded and for simulated ones.
#pragma once

#include <vector>

#include <poll.h>
#include <sys/select.h>

namespace orrery::host {

/// What a call of `select` asks about; each may be null.
struct SelectSets {
  fd_set* in;
  fd_set* out;
  fd_set* errors;

  /// For `poll`: of the first `count` descriptors those that are in a set.
  [[nodiscard]] std::vector<pollfd> files(int count) const {
    std::vector<pollfd> files;
    for (int number = 0; number < count; ++number) {
      int events = 0;
      if (in != nullptr && FD_ISSET(number, in)) events |= POLLIN;
      if (out != nullptr && FD_ISSET(number, out)) events |= POLLOUT;
      if (errors != nullptr && FD_ISSET(number, errors)) events |= POLLPRI;
      if (events != 0) files.push_back({number, static_cast<short>(events), 0});
    }
    return files;
  }

  /// Leaves in the sets what `poll` has found, and returns how many that are.
  int give(const std::vector<pollfd>& files) const {
    for (fd_set* const set : {in, out, errors}) {
      if (set != nullptr) FD_ZERO(set);
    }
    int bits = 0;
    for (const pollfd& file : files) {
      const auto add = [&](int asked, int found, fd_set* set) {
        if ((file.events & asked) == 0 || (file.revents & found) == 0) return;
        FD_SET(file.fd, set);
        ++bits;
      };
      add(POLLIN, POLLIN | POLLHUP | POLLERR, in);
      add(POLLOUT, POLLOUT | POLLERR, out);
      add(POLLPRI, POLLPRI, errors);
    }
    return bits;
  }
};

}  // namespace orrery::host
