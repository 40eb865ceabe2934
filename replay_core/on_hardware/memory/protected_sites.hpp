// Places in a program whose accesses synchronisation orders, as a list says.
#pragma once

#include <cstdint>

namespace orrery::on_hardware {

/// Those whose writes are not written down as turns: `memory_spool::protected_sites_file`.  Sites
/// that are switched off have no calls in the image that runs.
class ProtectedSites {
 public:
  /// False: the file is there and cannot be read.
  bool read(const char* directory);
  [[nodiscard]] bool has(std::uintptr_t return_address) const {
    const std::uint64_t site = return_address - image_begin_;
    return site / 64 < words_ && (bits_[site / 64] >> (site % 64) & 1U) != 0;
  }

 private:
  bool note(const std::uint64_t* sites, std::uint64_t count);

  std::uint64_t* bits_ = nullptr;  ///< one for each byte of the image
  std::uint64_t words_ = 0;        ///< 0: there are none
  std::uint64_t image_begin_ = 0;
};

}  // namespace orrery::on_hardware
