// Flags with types, whose values are checked while the command line is read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <orrery/network_model/virtual_time.hpp>

namespace CLI {
class App;
}

namespace orrery::cli {

/// Declares the flags of one subcommand.  Every value that cannot be read throws `UsageError` with
/// the flag's name.  The variables must outlive the reading of the command line.
class Flags {
 public:
  explicit Flags(CLI::App& app) : app_(app) {}

  void toggle(const std::string& name, bool& into, const std::string& help);
  void text(const std::string& name, std::optional<std::string>& into, const std::string& value,
            const std::string& help);
  /// `NAME` alone, which means `otherwise`, or `NAME=VALUE`; `into` stays empty without it.
  void toggle_with_value(const std::string& name, std::string& into, const std::string& otherwise,
                         const std::string& help);
  void whole_number(const std::string& name, std::optional<std::uint64_t>& into,
                    const std::string& help, std::uint64_t least = 0,
                    std::uint64_t most = UINT64_MAX);
  void duration(const std::string& name, std::optional<VirtualDuration>& into,
                const std::string& help);
  /// A number of bytes: `65536`, `64KiB`, `8MiB`.
  void size(const std::string& name, std::optional<std::uint64_t>& into, const std::string& help,
            std::uint64_t least, std::uint64_t most);

 private:
  CLI::App& app_;
};

}  // namespace orrery::cli
