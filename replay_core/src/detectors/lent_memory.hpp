// Which bytes of memory are lent, found by address.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <orrery/sim_runtime/observer.hpp>

namespace orrery::detail {

/// A loan as long as it lasts, and after it.
struct KeptLoan {
  std::uint64_t number = 0;
  MemoryLoan::Use use = MemoryLoan::Use::reads;
  bool is_open = false;
  Address base = 0;
  std::vector<AddressRange> ranges;  ///< in order; none is empty
  const char* finding_class = "";
  const char* operation = "";
  const char* role = "";
  const char* ends_by = "";
  const char* section = "";
  std::string owner;
  TaskId task;
  SourceLocation where;

  /// The first of these bytes that are lent; empty if there are none.
  [[nodiscard]] AddressRange meet(AddressRange wanted) const;
};

/// The loans of a run that are open.  An address that is not lent is known by one look at a small
/// table, unless its page, or one that has the same place there, has lent bytes.
class LentMemory {
 public:
  void clear();
  void add(const MemoryLoan& loan);
  /// Null if there is none of that number that is open.
  [[nodiscard]] const KeptLoan* find(std::uint64_t number) const;
  void remove(std::uint64_t number);
  /// Those that lie in there with all of their bytes are gone.
  void forget(AddressRange memory);

  /// Can any of these bytes be lent?
  [[nodiscard]] bool may_have(Address address, std::uint64_t size_bytes) const {
    const std::uint64_t first = address >> page_log2;
    const std::uint64_t last = (address + size_bytes - 1) >> page_log2;
    return pages_in_use_[first % places] != 0 || pages_in_use_[last % places] != 0 ||
           last - first > 1;
  }
  /// The first loan, in the order in which they were made, that does not allow this access, with
  /// the bytes that it is about; null if all do.
  [[nodiscard]] std::pair<const KeptLoan*, AddressRange> find_forbidding(
      const MemoryAccess& access) const;

 private:
  static constexpr unsigned page_log2 = 12;
  static constexpr std::uint64_t places = 1U << 14U;  // a power of two, and in the nearest caches
  using Slot = std::uint32_t;

  template <typename Function>
  static void for_each_page(const KeptLoan& loan, const Function& function);

  std::array<std::uint16_t, places> pages_in_use_{};  // by page: that have a loan; more than fit
                                                      // are as many as fit
  std::unordered_map<std::uint64_t, std::vector<Slot>> pages_;  // looked up only
  std::vector<KeptLoan> loans_;                                 // by slot
  std::vector<Slot> unused_;                                    // of these
  std::unordered_map<std::uint64_t, Slot> slots_;               // by number; looked up only
};

}  // namespace orrery::detail
