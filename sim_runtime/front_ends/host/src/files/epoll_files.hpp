// Lists of files that threads of a program wait for, as `epoll` has them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include <sys/epoll.h>

#include "open_file.hpp"

namespace orrery::host {

class Interests;

[[nodiscard]] std::shared_ptr<OpenFile> make_epoll_list();
/// What such a list looks at; null: it is something else.
[[nodiscard]] const Interests* interests_of(const OpenFile& file);

/// As `epoll_ctl` and `epoll_wait` have it; -1 with `errno`.
int change_epoll_list(int list, int operation, int file, const epoll_event* event);
/// With a timeout of virtual time in picoseconds; none: it waits until there is something.
int wait_for_epoll_list(int list, epoll_event* events, int count_max,
                        std::optional<std::int64_t> timeout_ps);

}  // namespace orrery::host
