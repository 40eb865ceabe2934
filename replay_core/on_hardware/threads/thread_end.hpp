// When a thread has nothing of the program's left to do.
#pragma once

namespace orrery::on_hardware {

/// The calling thread, which is recorded, says so when it ends, however it does.
void watch_thread_end();

}  // namespace orrery::on_hardware
