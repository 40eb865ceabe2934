// What is being run here.
#pragma once

#include <cstdint>
#include <string>

namespace orrery::on_hardware {

/// As the file `rank_spool::program_file` has it: path, build id, directory, arguments.
class OwnProgram {
 public:
  OwnProgram();
  [[nodiscard]] std::uint64_t hash() const;
  /// False, with `errno`, if it cannot be written there.
  [[nodiscard]] bool write_to(const char* directory) const;

 private:
  std::string text_;
};

}  // namespace orrery::on_hardware
