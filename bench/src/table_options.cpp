#include "table_options.hpp"

#include <cstdlib>

#include <orrery/network_model/usage_error.hpp>

namespace orrery::bench {

TableOptions table_options(int argc, char** argv, std::string_view usage) {
  const auto is_named = [&](std::string_view flag) {
    return usage.find(flag) != std::string_view::npos;
  };
  TableOptions options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    const bool has_value = i + 1 < argc;
    if (word == "--quick" && is_named(word)) {
      options.is_quick = true;
    } else if (word == "--rounds" && is_named(word) && has_value && std::atoi(argv[i + 1]) > 0) {
      options.rounds = std::atoi(argv[++i]);
    } else if (word == "--only" && is_named(word) && has_value) {
      options.only = argv[++i];
    } else {
      throw UsageError("is not understood here", std::string(word), std::string(usage));
    }
  }
  return options;
}

}  // namespace orrery::bench
