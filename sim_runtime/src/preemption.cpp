#include <array>

#include <orrery/network_model/usage_error.hpp>
#include <orrery/sim_runtime/preemption.hpp>

namespace orrery {
namespace {

constexpr std::array all{Preemption::sync, Preemption::shared, Preemption::all};

}  // namespace

std::string_view text(Preemption preemption) {
  switch (preemption) {
    case Preemption::shared: return "shared";
    case Preemption::all: return "all";
    default: return "sync";
  }
}

Preemption parse_preemption(std::string_view name, std::string_view where) {
  for (const Preemption one : all) {
    if (text(one) == name) return one;
  }
  throw UsageError("'" + std::string(name) + "' is not where a program may lose its turn",
                   std::string(where), "use sync, shared or all");
}

}  // namespace orrery
