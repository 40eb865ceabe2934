#include "broken_promise.hpp"

#include <fmt/format.h>

#include <orrery/sim_runtime/symbolizer.hpp>

namespace orrery::detail {
namespace {

std::string describe(Symbolizer& symbolizer, const AccessProtection::Access& access) {
  const char* const what = access.writes ? "write" : "read";
  if (access.counter == 0) return fmt::format("an atomic {}", what);
  const SourceFrame& frame = symbolizer.resolve(access.counter).innermost();
  if (frame.file.empty()) return fmt::format("the {} in {}", what, frame.function);
  return fmt::format("the {} at {}:{} in {}", what, frame.file, frame.line, frame.function);
}

}  // namespace

void BrokenPromise::look_at(const AccessProtection::Access& later,
                            const AccessProtection::Access& earlier) {
  if (found_) return;
  using Kind = SwitchedOffSites::Kind;
  const Kind kinds[] = {sites_.kind_of(later.counter), sites_.kind_of(earlier.counter)};
  const bool is_off = kinds[0] == Kind::access || kinds[1] == Kind::access;
  const bool has_no_order =
      later.writes && earlier.writes && (kinds[0] == Kind::order || kinds[1] == Kind::order);
  if (!is_off && !has_no_order) return;
  Symbolizer symbolizer;
  const bool is_later = kinds[0] == (is_off ? Kind::access : Kind::order);
  Parting& parting = found_.emplace();
  parting.message = fmt::format(
      "the run depends on an access that was switched off while it was recorded, by a list of "
      "protected accesses: nothing orders {} and {}; record it without that list, or have another "
      "profile made",
      describe(symbolizer, is_later ? later : earlier),
      describe(symbolizer, is_later ? earlier : later));
  const SourceFrame frame = symbolizer.resolve((is_later ? later : earlier).counter).innermost();
  parting.where.file = frame.file;
  parting.where.line = frame.line;
  parting.where.function = frame.function;
  parting.where.role = "was switched off";
}

std::string BrokenPromise::may_be_why() const {
  return fmt::format(
      "; {} places of the program were switched off while it was recorded, by a list of protected "
      "accesses: one of them may be the reason",
      records_.switched_off.accesses.size() + records_.switched_off.orders.size());
}

}  // namespace orrery::detail
