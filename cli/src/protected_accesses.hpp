// A list of a program's accesses to memory, and of what protects them: a file that people can read
// and change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <orrery/replay_core/access_protection.hpp>
#include <orrery/replay_core/access_records.hpp>

namespace orrery::cli {

/// A line is `CLASS SITE FILE:LINE FUNCTION`, as `protected_rw 0x1a2b cache.cpp:25 evict`; by hand
/// either of site and place will do.  A value type.
struct ProtectedAccesses {
  struct Entry {
    Protection protection = Protection::none;
    std::optional<std::uint64_t> site;  ///< the return address of its hook, from the image's begin
    std::string file;                   ///< empty: the site says it
    unsigned line = 0;
    std::string function;
    std::size_t number = 0;  ///< of the line in the list
  };
  std::string build_id;  ///< of the program, in hexadecimal; empty: no site is named
  std::vector<Entry> entries;

  /// Throws `UsageError` for a file that cannot be read, and for a line that is none.
  static ProtectedAccesses read(const std::string& path, std::string_view where);
  [[nodiscard]] std::string text() const;
  /// Each site is as badly protected as in the worse of both.
  void add(const ProtectedAccesses& other);
  /// Throws `UsageError` if the list, which is that file, is of another build.
  void check_build(const std::string& program_build_id, const std::string& path) const;
  /// Switches the protected ones off in a copy of the program's instrumented image.  Throws
  /// `UsageError` for an entry that names nothing in it.  `path`: of the list.
  [[nodiscard]] AccessRecords::SwitchedOff switch_off(std::span<std::byte> image,
                                                      const std::string& path) const;
};

}  // namespace orrery::cli
