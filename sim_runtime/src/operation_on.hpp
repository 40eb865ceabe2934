// The operation that most calls announce.
#pragma once

#include <cstdint>

#include <orrery/sim_runtime/operation.hpp>

namespace orrery::detail {

/// `where` must live as long as the operation is pending.
inline Operation operation_on(ObjectId object, OperationKind kind, const SourceLocation& where,
                              std::uint64_t value = 0) {
  Operation operation;
  operation.kind = kind;
  operation.object = object;
  operation.value = value;
  operation.where = &where;
  return operation;
}

}  // namespace orrery::detail
