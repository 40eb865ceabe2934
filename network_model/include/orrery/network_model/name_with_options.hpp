// `NAME[:COUNT][:key=value,...]`: how networks, strategies and the like are named on a command
// line.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <orrery/network_model/virtual_time.hpp>

namespace orrery {

/// A name with its options, taken apart.  Every getter throws `UsageError` for a value that it
/// cannot read, naming the key.  A value type.
///
///     const auto given = NameWithOptions::parse("constant:16:latency=5us", "--platform");
///     given.allow_keys({"latency", "bandwidth"});           // others: the nearest is suggested
///     given.duration("latency", 50us);                      // 5us
class NameWithOptions {
 public:
  /// Takes `text` apart.  `where` is the flag or argument to name in errors.
  static NameWithOptions parse(std::string_view text, std::string_view where = {});
  /// The same for a name that may hold anything, such as a path: options begin at the first colon
  /// that is followed by `key=`, and a number at a colon before that is none.
  static NameWithOptions parse_path(std::string_view text, std::string_view where = {});

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& where() const { return where_; }
  /// The bare number after the name, as in `constant:16`.
  [[nodiscard]] std::optional<std::uint64_t> count() const { return count_; }
  /// The text given for `key`, or nothing.
  [[nodiscard]] std::optional<std::string> text(std::string_view key) const;

  /// What was given, in its order.
  [[nodiscard]] std::vector<std::string> keys() const;
  /// Refuses every key that is not in `keys`.
  void allow_keys(std::initializer_list<std::string_view> keys) const;
  /// Refuses a bare number, for names that take none.
  void allow_no_count() const;

  /// A whole number in [`least`, `most`].
  [[nodiscard]] std::uint64_t whole_number(std::string_view key, std::uint64_t otherwise,
                                           std::uint64_t least = 0,
                                           std::uint64_t most = UINT64_MAX) const;
  /// A duration, as `parse_duration` reads it.
  [[nodiscard]] VirtualDuration duration(std::string_view key, VirtualDuration otherwise) const;
  /// Bytes per second: `125000000`, `125M`, `1.25GB/s`; k, M and G are powers of 1000.
  /// `infinity` gives 0, which models read as "size costs nothing"; 0 itself is refused.
  [[nodiscard]] std::uint64_t bytes_per_second(std::string_view key, std::uint64_t otherwise) const;

 private:
  struct Option {
    std::string key;
    std::string value;
  };
  void add_options(std::string_view list);
  [[nodiscard]] std::string place(std::string_view key) const;

  std::string name_;
  std::string where_;
  std::optional<std::uint64_t> count_;
  std::vector<Option> options_;
};

/// Reads a whole number in decimal digits, at most 2^64 - 1.  Throws `UsageError` naming `where`.
[[nodiscard]] std::uint64_t parse_whole_number(std::string_view text, std::string_view where,
                                               std::uint64_t least = 0,
                                               std::uint64_t most = UINT64_MAX);
/// Reads a number of bytes in [`least`, `most`]: digits, with `B`, `kB`, `MB`, `KiB`, `MiB` or
/// `GiB` if wanted.  Throws `UsageError` naming `where`.
[[nodiscard]] std::uint64_t parse_size(std::string_view text, std::string_view where,
                                       std::uint64_t least = 0, std::uint64_t most = UINT64_MAX);
/// Reads a bandwidth in bytes per second, as `NameWithOptions::bytes_per_second` does.
[[nodiscard]] std::uint64_t parse_bytes_per_second(std::string_view text, std::string_view where);

}  // namespace orrery
