// The calls in a program by which it tells of its accesses to memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace orrery::cli {

/// The hooks at the accesses of an instrumented image, as the compiler has put them in.
class AccessSites {
 public:
  struct Call {
    std::uint64_t site = 0;  ///< the return address, from where the image begins
    std::size_t offset = 0;  ///< of the instruction in the file
  };
  /// `image` must stay.
  explicit AccessSites(std::span<const std::byte> image);

  /// In ascending order of their sites; empty: the image has no symbols, or no accesses.
  [[nodiscard]] const std::vector<Call>& calls() const { return calls_; }
  /// Null: there is no call there.
  [[nodiscard]] const Call* find(std::uint64_t site) const;
  /// Those of that line of a source file, which may be named without its directories.
  [[nodiscard]] std::vector<const Call*> of_line(const std::string& file, unsigned line) const;
  /// Has it do nothing, in a copy of the image.
  static void switch_off(const Call& call, std::span<std::byte> image);

 private:
  std::span<const std::byte> image_;
  std::vector<Call> calls_;
};

/// Is it the name of such a hook?
[[nodiscard]] bool is_access_hook(std::string_view symbol);

}  // namespace orrery::cli
