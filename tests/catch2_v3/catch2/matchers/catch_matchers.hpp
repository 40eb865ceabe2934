// What our matchers lean on in Catch2 3, which Debian 12 does not have: its names, and no more.
#pragma once

#include <string>

namespace Catch {

template <typename T>
struct StringMaker;

namespace Matchers {

class MatcherUntypedBase {
 public:
  MatcherUntypedBase() = default;
  MatcherUntypedBase(const MatcherUntypedBase&) = default;
  MatcherUntypedBase& operator=(const MatcherUntypedBase&) = delete;

 protected:
  virtual ~MatcherUntypedBase() = default;
  virtual std::string describe() const = 0;
};

template <typename T>
class MatcherBase : public MatcherUntypedBase {
 public:
  virtual bool match(const T& argument) const = 0;
};

}  // namespace Matchers
}  // namespace Catch
