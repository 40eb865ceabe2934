// Which memory has more than one task touched?
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

namespace orrery::host {

/// For each eight bytes of memory the task that has touched them, or that several have.
class TouchedMemory {
 public:
  /// Notes that `task` (not 0) touches it; true if another one had done so before.
  bool touch(std::uintptr_t address, std::size_t bytes, std::uint32_t task);
  /// It holds something else from now on.
  void forget(std::uintptr_t begin, std::uintptr_t end);
  void clear();

 private:
  static constexpr std::size_t granule_bytes = 8;
  static constexpr std::size_t page_granules = 512;
  static constexpr std::uint32_t several = UINT32_MAX;
  using Page = std::array<std::uint32_t, page_granules>;

  std::uint32_t& toucher_of(std::uintptr_t granule);

  std::map<std::uintptr_t, std::unique_ptr<Page>> pages_;
  // The pages that were needed last, by the last digits of their numbers.
  struct Recent {
    std::uintptr_t number = UINTPTR_MAX;
    Page* page = nullptr;
  };
  std::array<Recent, 64> recent_{};
};

}  // namespace orrery::host
