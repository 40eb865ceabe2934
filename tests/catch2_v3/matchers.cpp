// The matchers' header compiles with Catch2 3 too: built, never run.
#include <type_traits>

#include <orrery/explorers/catch2.hpp>

using ReportMatcher = Catch::Matchers::MatcherBase<orrery::Report>;
static_assert(std::is_base_of_v<ReportMatcher, orrery::NoFindings>);
static_assert(std::is_base_of_v<ReportMatcher, orrery::FindsA>);
static_assert(!std::is_abstract_v<orrery::NoFindings> && !std::is_abstract_v<orrery::FindsA>);
