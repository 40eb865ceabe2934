#include "place_resolver.hpp"

namespace orrery::detail {

FindingPlace resolve_place(std::uintptr_t) {
  return {};
}

}  // namespace orrery::detail
