// How this process ends: written down as far as it can be.
#pragma once

#include <cstdint>

#include <orrery/replay_core/rank_spool.hpp>

namespace orrery::on_hardware {

/// Has the process write into `header` with which status it exits or which signal ends it.  What
/// was installed for a signal is still called.  Once a process; the header stays mapped.
void watch_end(rank_spool::Header& header);

/// Of the calling thread, for who reads whose doing the end was.
extern thread_local std::uint32_t thread_number __attribute__((tls_model("initial-exec")));

/// It has ended so; only the first time counts.
void note_end(rank_spool::End end, int value);

}  // namespace orrery::on_hardware
