// What an unchanged program leaves behind when its run ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace orrery {

/// A file or directory that a run has made, changed or taken away, as it is at the end.  A value
/// type.
struct WrittenFile {
  enum class Kind : std::uint8_t { absent, file, directory };
  static constexpr std::size_t beginning_bytes_max = std::size_t{64} * 1024;
  std::string path;  ///< from the directory in which the program was started; of others the whole
  Kind kind = Kind::absent;
  std::uint64_t bytes = 0;
  std::uint64_t hash = 0;  ///< of all of its content
  std::string beginning;   ///< of its content

  friend bool operator==(const WrittenFile&, const WrittenFile&) = default;
};

}  // namespace orrery
