#include <string>

#include <fmt/format.h>

#include <orrery/network_model/name_with_options.hpp>
#include <orrery/network_model/usage_error.hpp>
#include <orrery/replay_core/memory_groups.hpp>

namespace orrery {

MemoryGroups MemoryGroups::asked_for(const NameWithOptions& given) {
  const std::string text = given.text("group").value_or("variable");
  if (const auto which = of(text)) return *which;
  throw UsageError(fmt::format("'{}' is no way to group variables", text),
                   fmt::format("{} {}:group", given.where(), given.name()), std::string(ways));
}

}  // namespace orrery
