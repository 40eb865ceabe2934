// Of the C++ library, what writes where its headers look afterwards, in code of the program.
#include "wrapped.hpp"

using orrery::hooks::writes;

namespace orrery::hooks {
namespace {

// Of std::ctype<char>, since 2005: what its letters are widened to, whether that is known, the same
// of narrowing.
constexpr std::size_t widened_begin = 56;
constexpr std::size_t widened_bytes = 1 + 256;
constexpr std::size_t narrowed_begin = widened_begin + widened_bytes;
constexpr std::size_t narrowed_bytes = 256 + 1;

}  // namespace
}  // namespace orrery::hooks

using namespace orrery::hooks;

// The first one who widens a letter has them all widened.
ORRERY_WRAP(void, _ZNKSt5ctypeIcE13_M_widen_initEv, (char* facet)) {
  writes(facet + widened_begin, widened_bytes, ORRERY_CALLER);
  real__ZNKSt5ctypeIcE13_M_widen_initEv(facet);
}

ORRERY_WRAP(void, _ZNKSt5ctypeIcE14_M_narrow_initEv, (char* facet)) {
  writes(facet + narrowed_begin, narrowed_bytes, ORRERY_CALLER);
  real__ZNKSt5ctypeIcE14_M_narrow_initEv(facet);
}
