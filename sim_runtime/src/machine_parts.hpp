// Small things that the machine keeps lists of.
#pragma once

#include <cstdint>

#include <orrery/sim_runtime/clock_kinds.hpp>
#include <orrery/sim_runtime/ids.hpp>
#include <orrery/sim_runtime/observer.hpp>

namespace orrery {
class Outside;
}

namespace orrery::detail {

/// An observer, and what it wants to hear.
struct Watcher {
  Observer* observer;
  EventMask interest;
};

/// What an object is called; its text is kept elsewhere.
struct ObjectName {
  ObjectId id;
  const char* type;
  std::uint32_t name_offset;
  std::uint32_t name_bytes;
  std::uintptr_t address = 0;        ///< of the program's own, for one without a name
  std::uintptr_t value_address = 0;  ///< of a variable whose value has at most eight bytes
  std::uint32_t value_bytes = 0;
  bool is_hosts = false;  ///< of a pipe or the like, which the program knows nothing of
};

}  // namespace orrery::detail
