// Where a rank, or a thread, keeps what its calls came to.
#pragma once

#include <array>
#include <cstdint>

#include <orrery/replay_core/rank_spool.hpp>

namespace orrery::on_hardware {

/// Writes the file of a rank or a thread, which is mapped: a record costs some stores, and no call
/// of the system but for some each megabyte.  No descriptor stays open: a program that is recorded
/// gets the numbers that it always gets.  One thread writes; others may `cut`.
class SpoolWriter {
 public:
  /// The file `PREFIX NUMBER` in the directory.  False, with `errno`, if it cannot be made.
  bool open(const char* directory, const char* prefix, std::uint32_t number);

  [[nodiscard]] rank_spool::Header& header() { return *header_; }
  [[nodiscard]] const char* path() const { return path_.data(); }
  /// Stops.  What was written stays.
  void cut(rank_spool::Cut reason, int system_error = 0);

  void begin(rank_spool::Record kind, std::uint64_t number) {
    append(number << rank_spool::kind_bits | static_cast<std::uint64_t>(kind));
  }
  void append(std::uint64_t number) {
    while (number >= 0x80) {
      put(static_cast<std::uint8_t>(number | 0x80));
      number >>= 7U;
    }
    put(static_cast<std::uint8_t>(number));
  }
  /// The record is whole.
  void end() {
    if (__builtin_expect(header_->cut != 0, 0)) return;
    // Whoever reads the file of a process that was killed must not see the length before the bytes.
    __atomic_store_n(&header_->record_bytes, length(), __ATOMIC_RELEASE);
  }
  /// Of all records, the one that is being written included.
  [[nodiscard]] std::uint64_t length() const {
    return window_offset_ + static_cast<std::uint64_t>(next_ - window_);
  }
  /// Can it go back to where the records were so long?
  [[nodiscard]] bool can_go_back(std::uint64_t bytes) const {
    return header_->cut == 0 && bytes >= window_offset_;
  }
  /// What was written since then is not.
  void go_back(std::uint64_t bytes) {
    next_ = window_ + (bytes - window_offset_);
    end();
  }

  /// Does the calling thread ask the system for room just now?  Whoever comes between, as the
  /// handler of a signal, must not write.
  [[nodiscard]] static bool asks_for_room();

 private:
  void put(std::uint8_t byte) {
    if (__builtin_expect(next_ == window_end_, 0) && !grow()) return;
    *next_++ = byte;
  }
  bool grow();
  bool map_window(std::uint64_t offset, std::uint64_t bytes);

  std::array<char, 4096> path_{};
  rank_spool::Header* header_ = nullptr;
  std::uint8_t* window_ = nullptr;  ///< the part of the records that is mapped
  std::uint8_t* next_ = nullptr;
  std::uint8_t* window_end_ = nullptr;
  std::uint64_t window_offset_ = 0;  ///< of the window among the records
};

}  // namespace orrery::on_hardware
