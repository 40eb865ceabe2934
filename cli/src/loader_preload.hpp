// LD_PRELOAD, in the process that the command begins anew: there until that has begun.
#pragma once

#include <string>

namespace orrery::cli {

/// The loader's variable, and the one that has its former content in the new process.
inline constexpr const char* preload_variable = "LD_PRELOAD";
inline constexpr const char* former_preload_variable = "ORRERY_FORMER_LD_PRELOAD";

/// What the loader is to load now; empty: nothing.
[[nodiscard]] std::string asked_to_preload();
/// What it is to load so that this comes first.
[[nodiscard]] std::string preloading_first(const std::string& library);
/// Gives LD_PRELOAD its former content.  False: this process was not begun anew.
bool restore_preload();

}  // namespace orrery::cli
