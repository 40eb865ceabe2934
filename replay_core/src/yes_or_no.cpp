#include "yes_or_no.hpp"

#include <string>

#include <fmt/format.h>

#include <orrery/network_model/usage_error.hpp>

namespace orrery::detail {

bool yes_or_no(const NameWithOptions& given, std::string_view key) {
  const std::string text = given.text(key).value_or("no");
  if (text == "yes" || text == "no") return text == "yes";
  throw UsageError(fmt::format("'{}' is neither yes nor no", text),
                   fmt::format("{} {}:{}", given.where(), given.name(), key),
                   fmt::format("write {}=yes", key));
}

}  // namespace orrery::detail
