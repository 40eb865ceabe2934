#include "reductions.hpp"

#include <type_traits>

#include "collectives.hpp"
#include "handles/freed_handles.hpp"
#include "operation_scope.hpp"

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
template <BuiltinOperation operation, typename Pair>
Pair located(const Pair& a, const Pair& b) {
  if (a.value == b.value) return a.index <= b.index ? a : b;
  const bool a_wins = operation == BuiltinOperation::maxloc ? a.value > b.value : a.value < b.value;
  return a_wins ? a : b;
}

// Sums and products of signed integers wrap around, as they do on every machine that runs MPI.
template <BuiltinOperation operation, typename T>
T arithmetic(T a, T b) {
  constexpr bool is_sum = operation == BuiltinOperation::sum;
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    using Wide =
        std::conditional_t<(sizeof(T) < sizeof(unsigned)), unsigned, std::make_unsigned_t<T>>;
    const auto left = static_cast<Wide>(a);
    const auto right = static_cast<Wide>(b);
    return static_cast<T>(is_sum ? left + right : left * right);
  } else {
    return is_sum ? a + b : a * b;
  }
}

template <typename T>
constexpr bool is_floating = std::is_floating_point_v<T> || std::is_same_v<T, Float128>;

template <BuiltinOperation operation, typename T>
constexpr bool is_possible() {
  constexpr bool is_logical_or_bitwise =
      operation >= BuiltinOperation::land && operation <= BuiltinOperation::bxor;
  if constexpr (IsPair<T>::value) {
    return operation == BuiltinOperation::maxloc || operation == BuiltinOperation::minloc;
  } else if constexpr (std::is_integral_v<T>) {
    return operation <= BuiltinOperation::prod || is_logical_or_bitwise;
  } else if constexpr (is_floating<T>) {
    return operation <= BuiltinOperation::prod;
  } else {
    return operation == BuiltinOperation::sum || operation == BuiltinOperation::prod;
  }
}

template <BuiltinOperation operation, typename T>
T combine(const T& a, const T& b) {
  switch (operation) {
    case BuiltinOperation::max:
      if constexpr (std::is_integral_v<T> || is_floating<T>) return a > b ? a : b;
      break;
    case BuiltinOperation::min:
      if constexpr (std::is_integral_v<T> || is_floating<T>) return a < b ? a : b;
      break;
    case BuiltinOperation::maxloc:
    case BuiltinOperation::minloc:
      if constexpr (IsPair<T>::value) return located<operation>(a, b);
      break;
    default: break;
  }
  if constexpr (std::is_integral_v<T>) {
    switch (operation) {
      case BuiltinOperation::land: return static_cast<T>(a && b);
      case BuiltinOperation::lor: return static_cast<T>(a || b);
      case BuiltinOperation::lxor: return static_cast<T>(!a != !b);
      case BuiltinOperation::band: return static_cast<T>(a & b);
      case BuiltinOperation::bor: return static_cast<T>(a | b);
      case BuiltinOperation::bxor: return static_cast<T>(a ^ b);
      default: break;
    }
  }
  if constexpr (IsPair<T>::value) {
    return b;
  } else {
    return arithmetic<operation>(a, b);
  }
}

// One loop for each operation and type, so that the compiler can make good ones of them.
template <BuiltinOperation operation, typename T>
void combine_all(const T* lower, const T* higher, T* result, int count) {
  if constexpr (is_possible<operation, T>()) {
    for (int index = 0; index < count; ++index)
      result[index] = combine<operation>(lower[index], higher[index]);
  }
}

template <typename T>
void combine_builtin(BuiltinOperation operation, const T* lower, const T* higher, T* result,
                     int count) {
  using enum BuiltinOperation;
  switch (operation) {
    case max: return combine_all<max>(lower, higher, result, count);
    case min: return combine_all<min>(lower, higher, result, count);
    case sum: return combine_all<sum>(lower, higher, result, count);
    case prod: return combine_all<prod>(lower, higher, result, count);
    case land: return combine_all<land>(lower, higher, result, count);
    case band: return combine_all<band>(lower, higher, result, count);
    case lor: return combine_all<lor>(lower, higher, result, count);
    case bor: return combine_all<bor>(lower, higher, result, count);
    case lxor: return combine_all<lxor>(lower, higher, result, count);
    case bxor: return combine_all<bxor>(lower, higher, result, count);
    case maxloc: return combine_all<maxloc>(lower, higher, result, count);
    case minloc: return combine_all<minloc>(lower, higher, result, count);
    case none:
    case replace:
    case no_op: break;
  }
}

}  // namespace

int check_reduction(const Call& call, const Communicator& communicator, MPI_Op handle,
                    const Datatype& type, Operation& operation) {
  const Operation* const found = call.find_operation(handle, operation);
  if (found == nullptr) {
    if (call.state.operations.owns(handle))
      return fail_freed(call, &communicator, MPI_ERR_OP, handle->header, "op", "an operation",
                        "5.9.5");
    return call.fail(
        &communicator, MPI_ERR_OP, "argument op is %s (MPI 3.1, section 5.9)",
        find_predefined(handle, HandleKind::operation) ? "MPI_OP_NULL" : "no operation");
  }
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
    const OperationScope scope(*current_job()->current_rank(), current_job()->table());
    operation.function(in, inout, &count, &handle);
    return;
  }
  visit_builtin(type.builtin(), [&]<typename T>() {
    combine_builtin(operation.builtin, static_cast<const T*>(in), static_cast<const T*>(inout),
                    static_cast<T*>(inout), count);
  });
}

void reduce_into_lower(const Operation& operation, const Datatype& type, MPI_Datatype handle,
                       void* lower, void* higher, int count) {
  if (operation.function != nullptr) {
    reduce_local(operation, type, handle, lower, higher, count);
    const auto elements = static_cast<std::size_t>(count);
    copy_elements(current_job()->current_rank()->scratch, type, elements, higher, type, elements,
                  lower);
    return;
  }
  visit_builtin(type.builtin(), [&]<typename T>() {
    combine_builtin(operation.builtin, static_cast<const T*>(lower), static_cast<const T*>(higher),
                    static_cast<T*>(lower), count);
  });
}

const char* name_of(const Operation& operation) {
  if (operation.function != nullptr)
    return operation.commutative ? "a commutative operation of the program"
                                 : "a non-commutative operation of the program";
  return name_of(operation.builtin);
}

}  // namespace orrery::mpi
