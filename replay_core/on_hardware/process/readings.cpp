#include "readings.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <ctime>

#include "made_once.hpp"
#include "next_function.hpp"

namespace orrery::on_hardware {
namespace {

std::int64_t date_of(clockid_t clock) {
  timespec date{};
  next<&::clock_gettime>("clock_gettime")(clock, &date);
  return date.tv_sec * 1'000'000'000 + date.tv_nsec;
}

std::uint64_t zigzag(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  return bits << 1U ^ (value < 0 ? ~std::uint64_t{0} : 0);
}

}  // namespace

void Readings::begin() {
  origins_ = {date_of(CLOCK_REALTIME), date_of(CLOCK_TAI), date_of(CLOCK_MONOTONIC),
              date_of(CLOCK_BOOTTIME)};
}

void Readings::move_to(SpoolWriter& spool) {
  spool_ = &spool;
  rank_spool::Header& header = spool.header();
  header.clock_origins = origins_;
  std::copy(std::begin(first_runs_), std::end(first_runs_), std::begin(header.clock_runs));
  runs_ = header.clock_runs;
  for (const Step& step : in_memory_) write(step, nullptr);
  in_memory_.clear();
}

bool Readings::begin_run(std::size_t clock, std::int64_t step_ns) {
  rank_spool::ClockRun& run = runs_[clock];
  if (run.count > 0) write({clock, run.step_ns, run.count}, &run);
  if (spool_ != nullptr && spool_->header().cut != 0) return false;
  // Whoever is killed leaves them as they were in this order.
  std::atomic_signal_fence(std::memory_order_seq_cst);
  run.count = 0;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  run.record_bytes = 0;
  run.step_ns = step_ns;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  return true;
}

void Readings::drew(std::uint64_t value) {
  write({0, 0, value}, nullptr);
}

void Readings::drew(const void* bytes, std::size_t size) {
  const auto* from = static_cast<const unsigned char*>(bytes);
  while (size > 0) {
    std::uint64_t value = 0;
    const std::size_t part = std::min(size, sizeof value);
    std::memcpy(&value, from, part);
    drew(value);
    from += part;
    size -= part;
  }
}

void Readings::write(const Step& step, rank_spool::ClockRun* run) {
  if (spool_ == nullptr) {
    in_memory_.push_back(step);
    return;
  }
  spool_->begin(rank_spool::Record::reading, step.clock);
  if (step.clock != 0) spool_->append(zigzag(step.step_ns));
  spool_->append(step.count);
  // Whatever ends the process: the run is in the records or in the header, and not in both.
  if (run != nullptr) run->record_bytes = spool_->length();
  spool_->end();
}

thread_local Readings* readings_of_thread = nullptr;

Readings& readings() {
  static constinit MadeOnce<Readings> of_process;
  return readings_of_thread != nullptr ? *readings_of_thread : of_process.get();
}

}  // namespace orrery::on_hardware
