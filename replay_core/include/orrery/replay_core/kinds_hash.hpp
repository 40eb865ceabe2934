// Did a task do the same kinds of operations, in the same order?
#pragma once

#include <cstdint>

#include <orrery/sim_runtime/operation.hpp>

namespace orrery {

/// Fowler, Noll and Vo's hash (FNV-1a) of a sequence of kinds.  A value type.
class KindsHash {
 public:
  void add(OperationKind kind) {
    value_ = (value_ ^ static_cast<std::uint32_t>(kind)) * 16'777'619U;
  }
  [[nodiscard]] std::uint32_t value() const { return value_; }

 private:
  std::uint32_t value_ = 2'166'136'261U;
};

}  // namespace orrery
