// Whose record is whose.
#pragma once

#include <pthread.h>

#include "thread_record.hpp"

namespace orrery::on_hardware {

/// Of the newest thread that has the handle; null: there is none that is recorded.
[[nodiscard]] ThreadRecord* known_thread(pthread_t handle);

}  // namespace orrery::on_hardware
