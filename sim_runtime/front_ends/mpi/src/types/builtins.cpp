#include "builtins.hpp"

#include <array>

namespace orrery::mpi {
namespace {

template <typename T>
constexpr BuiltinInfo plain(const char* name, TypeClass type_class) {
  return {name, type_class, sizeof(T), alignof(T)};
}

template <typename Value, typename Index = int>
constexpr BuiltinInfo pair(const char* name, Builtin first, Builtin second = Builtin::int_) {
  using Pair = ValueAndIndex<Value, Index>;
  return {name, TypeClass::pair, sizeof(Pair), alignof(Pair), first, second, offsetof(Pair, index)};
}

// Two values that no operation compares.
template <typename T>
constexpr BuiltinInfo two(const char* name, Builtin type) {
  return {name, TypeClass::character, 2 * sizeof(T), alignof(T), type, type, sizeof(T)};
}

// In the order of `Builtin`.
constexpr std::array<BuiltinInfo, builtin_count> builtins{{
    {"MPI_DATATYPE_NULL", TypeClass::none, 0, 1},
    plain<unsigned char>("MPI_BYTE", TypeClass::byte),
    plain<unsigned char>("MPI_PACKED", TypeClass::packed),
    plain<char>("MPI_CHAR", TypeClass::character),
    plain<signed char>("MPI_SIGNED_CHAR", TypeClass::integer),
    plain<unsigned char>("MPI_UNSIGNED_CHAR", TypeClass::integer),
    plain<short>("MPI_SHORT", TypeClass::integer),
    plain<unsigned short>("MPI_UNSIGNED_SHORT", TypeClass::integer),
    plain<int>("MPI_INT", TypeClass::integer),
    plain<unsigned>("MPI_UNSIGNED", TypeClass::integer),
    plain<long>("MPI_LONG", TypeClass::integer),
    plain<unsigned long>("MPI_UNSIGNED_LONG", TypeClass::integer),
    plain<long long>("MPI_LONG_LONG_INT", TypeClass::integer),
    plain<unsigned long long>("MPI_UNSIGNED_LONG_LONG", TypeClass::integer),
    plain<float>("MPI_FLOAT", TypeClass::floating),
    plain<double>("MPI_DOUBLE", TypeClass::floating),
    plain<long double>("MPI_LONG_DOUBLE", TypeClass::floating),
    plain<wchar_t>("MPI_WCHAR", TypeClass::character),
    plain<std::int8_t>("MPI_INT8_T", TypeClass::integer),
    plain<std::uint8_t>("MPI_UINT8_T", TypeClass::integer),
    plain<std::int16_t>("MPI_INT16_T", TypeClass::integer),
    plain<std::uint16_t>("MPI_UINT16_T", TypeClass::integer),
    plain<std::int32_t>("MPI_INT32_T", TypeClass::integer),
    plain<std::uint32_t>("MPI_UINT32_T", TypeClass::integer),
    plain<std::int64_t>("MPI_INT64_T", TypeClass::integer),
    plain<std::uint64_t>("MPI_UINT64_T", TypeClass::integer),
    plain<MPI_Aint>("MPI_AINT", TypeClass::integer),
    plain<MPI_Offset>("MPI_OFFSET", TypeClass::integer),
    plain<MPI_Count>("MPI_COUNT", TypeClass::integer),
    plain<bool>("MPI_C_BOOL", TypeClass::logical),
    plain<std::complex<float>>("MPI_C_COMPLEX", TypeClass::complex),
    plain<std::complex<double>>("MPI_C_DOUBLE_COMPLEX", TypeClass::complex),
    plain<std::complex<long double>>("MPI_C_LONG_DOUBLE_COMPLEX", TypeClass::complex),
    plain<bool>("MPI_CXX_BOOL", TypeClass::logical),
    plain<std::complex<float>>("MPI_CXX_FLOAT_COMPLEX", TypeClass::complex),
    plain<std::complex<double>>("MPI_CXX_DOUBLE_COMPLEX", TypeClass::complex),
    plain<std::complex<long double>>("MPI_CXX_LONG_DOUBLE_COMPLEX", TypeClass::complex),
    pair<float>("MPI_FLOAT_INT", Builtin::float_),
    pair<double>("MPI_DOUBLE_INT", Builtin::double_),
    pair<long double>("MPI_LONG_DOUBLE_INT", Builtin::long_double),
    pair<long>("MPI_LONG_INT", Builtin::long_),
    pair<short>("MPI_SHORT_INT", Builtin::short_),
    pair<int>("MPI_2INT", Builtin::int_),
    plain<char>("MPI_CHARACTER", TypeClass::character),
    plain<std::int32_t>("MPI_LOGICAL", TypeClass::logical),
    plain<std::int8_t>("MPI_LOGICAL1", TypeClass::logical),
    plain<std::int16_t>("MPI_LOGICAL2", TypeClass::logical),
    plain<std::int32_t>("MPI_LOGICAL4", TypeClass::logical),
    plain<std::int64_t>("MPI_LOGICAL8", TypeClass::logical),
    plain<std::int32_t>("MPI_INTEGER", TypeClass::integer),
    plain<std::int8_t>("MPI_INTEGER1", TypeClass::integer),
    plain<std::int16_t>("MPI_INTEGER2", TypeClass::integer),
    plain<std::int32_t>("MPI_INTEGER4", TypeClass::integer),
    plain<std::int64_t>("MPI_INTEGER8", TypeClass::integer),
    plain<float>("MPI_REAL", TypeClass::floating),
    plain<float>("MPI_REAL4", TypeClass::floating),
    plain<double>("MPI_REAL8", TypeClass::floating),
    plain<Float128>("MPI_REAL16", TypeClass::floating),
    plain<double>("MPI_DOUBLE_PRECISION", TypeClass::floating),
    plain<std::complex<float>>("MPI_COMPLEX", TypeClass::complex),
    plain<std::complex<float>>("MPI_COMPLEX8", TypeClass::complex),
    plain<std::complex<double>>("MPI_COMPLEX16", TypeClass::complex),
    plain<std::complex<Float128>>("MPI_COMPLEX32", TypeClass::complex),
    plain<std::complex<double>>("MPI_DOUBLE_COMPLEX", TypeClass::complex),
    pair<float, float>("MPI_2REAL", Builtin::real, Builtin::real),
    pair<double, double>("MPI_2DOUBLE_PRECISION", Builtin::double_precision,
                         Builtin::double_precision),
    pair<std::int32_t>("MPI_2INTEGER", Builtin::integer, Builtin::integer),
    two<std::complex<float>>("MPI_2COMPLEX", Builtin::complex),
    two<std::complex<double>>("MPI_2DOUBLE_COMPLEX", Builtin::double_complex),
}};

// In the order of `BuiltinOperation`.
constexpr std::array<const char*, builtin_operation_count> operations{
    {"MPI_OP_NULL", "MPI_MAX", "MPI_MIN", "MPI_SUM", "MPI_PROD", "MPI_LAND", "MPI_BAND", "MPI_LOR",
     "MPI_BOR", "MPI_LXOR", "MPI_BXOR", "MPI_MAXLOC", "MPI_MINLOC", "MPI_REPLACE", "MPI_NO_OP"}};

}  // namespace

const BuiltinInfo& describe(Builtin type) {
  return builtins[static_cast<std::size_t>(type)];
}

const char* name_of(BuiltinOperation operation) {
  return operations[static_cast<std::size_t>(operation)];
}

}  // namespace orrery::mpi
