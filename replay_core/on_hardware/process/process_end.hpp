// How this process ends: written down as far as it can be.
#pragma once

#include <cstdint>

#include <orrery/replay_core/rank_spool.hpp>

#include "spool_writer.hpp"

namespace orrery::on_hardware {

/// Has the process write into `header`, which is that of `spool`, with which status it exits or
/// which signal ends it, and leave its last words beside.  What was installed for a signal is still
/// called.  Once a process; the header stays mapped.
void watch_end(rank_spool::Header& header, const SpoolWriter& spool);

/// Of the calling thread, for who reads whose doing the end was.
extern thread_local std::uint32_t thread_number __attribute__((tls_model("initial-exec")));

/// It has ended so; only the first time counts.
void note_end(rank_spool::End end, int value);

/// While it lives the process sends itself a signal, which may be its end.
class OwnSignal {
 public:
  explicit OwnSignal(int signal);
  ~OwnSignal();
  OwnSignal(const OwnSignal&) = delete;
  OwnSignal& operator=(const OwnSignal&) = delete;

 private:
  int before_;
  bool is_kill_;
};

}  // namespace orrery::on_hardware
