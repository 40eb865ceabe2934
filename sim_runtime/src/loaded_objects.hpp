// Which file an address of this process was loaded from.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <orrery/sim_runtime/object_place.hpp>

namespace orrery::detail {

/// A file that is loaded in this process, as far as one address in it needs.
struct LoadedObject {
  std::uintptr_t base = 0;  ///< what was added to the addresses in the file
  std::string path;         ///< where its content can be read
  std::string build_id;     ///< as in its note, raw bytes; empty if it has none
  friend bool operator==(const LoadedObject&, const LoadedObject&) = default;
};

/// The object that the address lies in; nothing if it lies in none.
[[nodiscard]] std::optional<LoadedObject> find_loaded_object(std::uintptr_t address);

/// The same as plain data, written to `place`: makes no memory, for a process that dies.  False:
/// the address lies in no object.
[[nodiscard]] bool find_object_place(std::uintptr_t address, ObjectPlace& place);

/// Where the code at this address of a process, which had these objects, lies in the present one;
/// 0: nowhere.
[[nodiscard]] std::uintptr_t address_here(std::span<const ObjectPlace> objects,
                                          std::uintptr_t address);

/// Where the content of all objects with that build id can be read: of the first that was loaded.
/// The others may be copies that have only what a loader needs.
[[nodiscard]] std::string path_of_build(const std::string& build_id);

/// The name that its user knows the file by, without directories: `app`, also where a copy of the
/// program was loaded from memory.
[[nodiscard]] std::string display_name(const LoadedObject& object);

}  // namespace orrery::detail
