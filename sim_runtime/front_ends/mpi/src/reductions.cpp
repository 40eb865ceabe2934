#include "reductions.hpp"

#include <type_traits>

namespace orrery::mpi {
namespace {

template <typename T>
struct IsPair : std::false_type {};
template <typename Value, typename Index>
struct IsPair<ValueAndIndex<Value, Index>> : std::true_type {};

bool is_one_of(BuiltinOperation operation, BuiltinOperation first, BuiltinOperation last) {
  return operation >= first && operation <= last;
}

bool is_logical(BuiltinOperation operation) {
  return operation == BuiltinOperation::land || operation == BuiltinOperation::lor ||
         operation == BuiltinOperation::lxor;
}

bool is_bitwise(BuiltinOperation operation) {
  return operation == BuiltinOperation::band || operation == BuiltinOperation::bor ||
         operation == BuiltinOperation::bxor;
}

bool is_defined(BuiltinOperation operation, TypeClass type) {
  switch (type) {
    case TypeClass::integer:
      return is_one_of(operation, BuiltinOperation::max, BuiltinOperation::bxor);
    case TypeClass::floating:
      return is_one_of(operation, BuiltinOperation::max, BuiltinOperation::prod);
    case TypeClass::complex:
      return operation == BuiltinOperation::sum || operation == BuiltinOperation::prod;
    case TypeClass::logical: return is_logical(operation);
    case TypeClass::byte: return is_bitwise(operation);
    case TypeClass::pair:
      return operation == BuiltinOperation::maxloc || operation == BuiltinOperation::minloc;
    case TypeClass::none:
    case TypeClass::packed:
    case TypeClass::character: break;
  }
  return false;
}

// The value that wins; of equal values the lower index (section 5.9.4).
template <typename Pair>
Pair located(BuiltinOperation operation, const Pair& a, const Pair& b) {
  if (a.value == b.value) return a.index <= b.index ? a : b;
  const bool a_wins = operation == BuiltinOperation::maxloc ? a.value > b.value : a.value < b.value;
  return a_wins ? a : b;
}

template <typename T>
T ordered(BuiltinOperation operation, T a, T b) {
  if (operation == BuiltinOperation::max) return a > b ? a : b;
  return a < b ? a : b;
}

template <typename T>
T logical_or_bitwise(BuiltinOperation operation, T a, T b) {
  switch (operation) {
    case BuiltinOperation::land: return static_cast<T>(a && b);
    case BuiltinOperation::lor: return static_cast<T>(a || b);
    case BuiltinOperation::lxor: return static_cast<T>(!a != !b);
    case BuiltinOperation::band: return static_cast<T>(a & b);
    case BuiltinOperation::bor: return static_cast<T>(a | b);
    default: return static_cast<T>(a ^ b);
  }
}

// Sums and products of signed integers wrap around, as they do on every machine that runs MPI.
template <typename T>
T arithmetic(BuiltinOperation operation, T a, T b) {
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    using Wide =
        std::conditional_t<(sizeof(T) < sizeof(unsigned)), unsigned, std::make_unsigned_t<T>>;
    const auto left = static_cast<Wide>(a);
    const auto right = static_cast<Wide>(b);
    return static_cast<T>(operation == BuiltinOperation::sum ? left + right : left * right);
  } else {
    return operation == BuiltinOperation::sum ? a + b : a * b;
  }
}

template <typename T>
T combine(BuiltinOperation operation, const T& a, const T& b) {
  if constexpr (IsPair<T>::value) {
    return located(operation, a, b);
  } else if constexpr (std::is_same_v<T, bool>) {
    return logical_or_bitwise(operation, a, b);
  } else if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, Float128>) {
    if (operation == BuiltinOperation::max || operation == BuiltinOperation::min)
      return ordered(operation, a, b);
    if constexpr (std::is_integral_v<T>) {
      if (operation > BuiltinOperation::prod) return logical_or_bitwise(operation, a, b);
    }
    return arithmetic(operation, a, b);
  } else {
    return arithmetic(operation, a, b);
  }
}

}  // namespace

int check_reduction(const Call& call, const Communicator& communicator, MPI_Op handle,
                    const Datatype& type, Operation& operation) {
  const Operation* const found = call.find_operation(handle, operation);
  if (found == nullptr)
    return call.fail(&communicator, MPI_ERR_OP, "argument op is %s (MPI 3.1, section 5.9)",
                     find_predefined(handle, HandleKind::operation) ? "MPI_OP_NULL"
                     : call.state.operations.owns(handle)           ? "an operation that was freed"
                                                                    : "no operation");
  operation = *found;
  if (operation.function != nullptr) return MPI_SUCCESS;
  const TypeClass type_class = describe(type.builtin()).type_class;
  if (is_defined(operation.builtin, type_class)) return MPI_SUCCESS;
  return call.fail(&communicator, MPI_ERR_OP, "%s is not defined for %s (MPI 3.1, section 5.9.2)",
                   name_of(operation), type.name);
}

void reduce_local(const Operation& operation, const Datatype& type, MPI_Datatype handle, void* in,
                  void* inout, int count) {
  if (operation.function != nullptr) {
    operation.function(in, inout, &count, &handle);
    return;
  }
  visit_builtin(type.builtin(), [&]<typename T>() {
    const T* const left = static_cast<const T*>(in);
    T* const right = static_cast<T*>(inout);
    for (int index = 0; index < count; ++index)
      right[index] = combine(operation.builtin, left[index], right[index]);
  });
}

const char* name_of(const Operation& operation) {
  if (operation.function != nullptr)
    return operation.commutative ? "a commutative operation of the program"
                                 : "a non-commutative operation of the program";
  return name_of(operation.builtin);
}

}  // namespace orrery::mpi
