#include "timer_files.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "ranks/program_clock.hpp"
#include "told_answers.hpp"
#include "watched_file.hpp"

namespace orrery::host {
namespace {

constexpr std::int64_t ps_per_ns = 1'000;
constexpr std::int64_t ps_per_s = ps_per_ns * nanoseconds_per_second;

bool is_span(const timespec& span) {
  return span.tv_sec >= 0 && is_date(span);
}

timespec span_of(std::int64_t ps) {
  return {ps / ps_per_s, ps % ps_per_s / ps_per_ns};
}

/// What has been set.  Dates are the machine's: those that the program's clocks show are, in a
/// replay of real threads, told for each time that it asked them.
class Setting : public SharedState {
 public:
  explicit Setting(clockid_t clock) : clock_(clock) {}

  void set(int flags, const itimerspec& time) {
    interval_ps_ = picoseconds_of(time.it_interval);
    if (time.it_value.tv_sec == 0 && time.it_value.tv_nsec == 0) {
      next_ps_ = ORRERY_NEVER;
    } else if ((flags & TFD_TIMER_ABSTIME) != 0) {
      next_ps_ = deadline_of(clock_, time.it_value);
    } else {
      next_ps_ = now() + picoseconds_of(time.it_value);
    }
    ++epoch_;
    changed();
  }
  /// How often it has gone off since it was set or read.
  [[nodiscard]] std::uint64_t expirations(std::int64_t now_ps) const {
    if (next_ps_ == ORRERY_NEVER || now_ps < next_ps_) return 0;
    return interval_ps_ == 0 ? 1
                             : static_cast<std::uint64_t>((now_ps - next_ps_) / interval_ps_) + 1;
  }
  std::uint64_t take(std::int64_t now_ps) {
    const std::uint64_t count = expirations(now_ps);
    if (count == 0) return 0;
    next_ps_ = interval_ps_ == 0 ? ORRERY_NEVER
                                 : next_ps_ + static_cast<std::int64_t>(count) * interval_ps_;
    ++epoch_;
    return count;
  }
  [[nodiscard]] itimerspec rest() const {
    const std::int64_t now_ps = now();
    const auto passed = static_cast<std::int64_t>(expirations(now_ps));
    itimerspec shown{span_of(interval_ps_), {}};
    if (next_ps_ == ORRERY_NEVER || (passed > 0 && interval_ps_ == 0)) return shown;
    shown.it_value = span_of(next_ps_ + passed * interval_ps_ - now_ps);
    return shown;
  }
  [[nodiscard]] static std::int64_t now() { return guarded_runtime().now(); }
  /// From when on there is something to read.
  [[nodiscard]] std::int64_t due() const { return next_ps_; }
  [[nodiscard]] Found found() const {
    const bool has_gone_off = expirations(now()) > 0;
    return {.bits = has_gone_off ? POLLIN : 0,
            .arrivals = 2 * epoch_ + (has_gone_off ? 1 : 0),
            .due = has_gone_off ? ORRERY_NEVER : next_ps_};
  }

 private:
  clockid_t clock_;
  std::int64_t next_ps_ = ORRERY_NEVER;  ///< when it goes off that was not read yet
  std::int64_t interval_ps_ = 0;
  std::uint64_t epoch_ = 0;  ///< so often it was set or read
};

class TimerFile final : public WatchedFile {
 public:
  TimerFile(int clock, int open_flags)
      : WatchedFile(O_RDWR | open_flags), setting_(std::make_shared<Setting>(clock)) {}

  ssize_t read(void* into, std::size_t bytes) override {
    if (bytes == 0) return fail(EINVAL);
    const CancellationPoint point(place_of_call());
    std::uint64_t count = 0;
    if (!keeps_findings()) {
      const ssize_t result = take(bytes, count);
      if (result > 0) std::memcpy(into, &count, sizeof count);
      return result;
    }
    const TransferTurn turn(keeps_order() ? order(/*is_reading=*/true) : nullptr);
    const ssize_t result = told_result(would_take(bytes));
    if (result < 0 && (errno != EAGAIN || (flags & O_NONBLOCK) != 0)) return -1;
    // A run that was changed may have to wait for it here.
    if (result < 0 && take(bytes, count) < 0) return -1;
    if (result >= 0) count = told(setting_->take(Setting::now()));
    std::memcpy(into, &count, sizeof count);
    return sizeof count;
  }
  ssize_t write(const void*, std::size_t) override { return fail(EINVAL); }
  void status(struct stat& result) const override {
    result = {};
    result.st_mode = 0600;
    result.st_blksize = 4096;
  }

  int set(int set_flags, const itimerspec& time, itimerspec* before) {
    constexpr int known = TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET;
    const bool is_good =
        (set_flags & ~known) == 0 && is_span(time.it_value) && is_span(time.it_interval);
    const TransferTurn turn(keeps_order() ? order(/*is_reading=*/true) : nullptr);
    itimerspec former{};
    if (is_good) {
      const SharedState::Turn own_turn(*setting_);
      former = setting_->rest();
      setting_->set(set_flags, time);
    }
    if (before != nullptr && is_good) *before = former;
    return told_setting(is_good ? 0 : fail(EINVAL), before);
  }
  int get(itimerspec& time) {
    const TransferTurn turn(keeps_order() ? order(/*is_reading=*/true) : nullptr);
    {
      const SharedState::Turn own_turn(*setting_);
      time = setting_->rest();
    }
    return told_setting(0, &time);
  }

  [[nodiscard]] Found watch(Watcher* watcher) override {
    return setting_->watch(watcher, [&] { return setting_->found(); });
  }
  [[nodiscard]] States states() override { return {setting_}; }
  [[nodiscard]] std::shared_ptr<bool> order(bool is_reading) override {
    if (!is_reading) return nullptr;
    return {setting_, &setting_->is_order_locked};
  }
  [[nodiscard]] bool has_clock() const override { return true; }

 private:
  static int told_setting(int own, itimerspec* shown) {
    if (!keeps_findings()) return own;
    const auto result = static_cast<int>(told_result(own < 0 ? -std::int64_t{errno} : own));
    if (result == 0 && shown != nullptr) told_bytes({shown, sizeof *shown});
    return result;
  }
  [[nodiscard]] std::int64_t would_take(std::size_t bytes) const {
    if (bytes < sizeof(std::uint64_t)) return -EINVAL;
    return setting_->expirations(Setting::now()) > 0 ? sizeof(std::uint64_t) : -EAGAIN;
  }
  ssize_t take(std::size_t bytes, std::uint64_t& count) {
    if (bytes < sizeof count) return fail(EINVAL);
    const auto kept = setting_;
    SharedState::Turn turn(*kept);
    while ((count = kept->take(Setting::now())) == 0) {
      if ((flags & O_NONBLOCK) != 0) {
        give_way_until(kept->due(), place_of_call());
        return fail(EAGAIN);
      }
      if (!turn.wait_for_change(kept->due())) return -1;
    }
    return sizeof count;
  }

  std::shared_ptr<Setting> setting_;
};

/// Null with `errno`.
TimerFile* timer_in(OpenFile& file) {
  auto* const timer = dynamic_cast<TimerFile*>(&file);
  if (timer == nullptr) errno = EINVAL;
  return timer;
}

}  // namespace

std::shared_ptr<OpenFile> make_timer(int clock, int flags) {
  const bool is_known =
      clock == CLOCK_MONOTONIC || clock == CLOCK_REALTIME || clock == CLOCK_BOOTTIME;
  const bool wakes_the_machine = clock == CLOCK_REALTIME_ALARM || clock == CLOCK_BOOTTIME_ALARM;
  if ((flags & ~(TFD_NONBLOCK | TFD_CLOEXEC)) != 0 || (!is_known && !wakes_the_machine)) {
    errno = EINVAL;
    return nullptr;
  }
  return std::make_shared<TimerFile>(clock, flags & O_NONBLOCK);
}

int set_timer(OpenFile& file, int flags, const itimerspec& time, itimerspec* before) {
  TimerFile* const timer = timer_in(file);
  return timer == nullptr ? -1 : timer->set(flags, time, before);
}

int get_timer(OpenFile& file, itimerspec& time) {
  TimerFile* const timer = timer_in(file);
  return timer == nullptr ? -1 : timer->get(time);
}

}  // namespace orrery::host
