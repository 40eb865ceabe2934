// Where a rank keeps what its calls came to.
#pragma once

#include <cstdint>

#include <orrery/replay_core/rank_spool.hpp>

namespace orrery::on_hardware {

/// Writes a rank's file, which is mapped: a record costs some stores, and no call of the system but
/// for one each megabyte.  One thread writes; others may `cut`.
class SpoolWriter {
 public:
  /// False, with `errno`, if the file cannot be made.
  bool open(const char* directory, std::uint32_t rank, std::uint32_t ranks);

  [[nodiscard]] rank_spool::Header& header() { return *header_; }
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

 private:
  void put(std::uint8_t byte) {
    if (__builtin_expect(next_ == window_end_, 0) && !grow()) return;
    *next_++ = byte;
  }
  bool grow();
  bool map_window(std::uint64_t offset, std::uint64_t bytes);

  int file_ = -1;
  rank_spool::Header* header_ = nullptr;
  std::uint8_t* window_ = nullptr;  ///< the part of the records that is mapped
  std::uint8_t* next_ = nullptr;
  std::uint8_t* window_end_ = nullptr;
  std::uint64_t window_offset_ = 0;  ///< of the window among the records
};

}  // namespace orrery::on_hardware
