// Where an unchanged program may lose its turn.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace orrery {

/// At which operations of an unchanged program another task may come before it.
enum class Preemption : std::uint8_t {
  sync,    ///< locks, messages, atomics and the like only
  shared,  ///< also at accesses to memory that another task has touched before
  all,     ///< at every access that its compiler has left in the program
};

/// `sync`, `shared` or `all`.
[[nodiscard]] std::string_view text(Preemption preemption);
/// The way back.  Throws `UsageError`; `where` names the source of the text.
[[nodiscard]] Preemption parse_preemption(std::string_view text, std::string_view where);

}  // namespace orrery
