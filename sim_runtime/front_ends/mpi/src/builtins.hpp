// The predefined types and operations of MPI (chapters 3.2.2 and 5.9).
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>

#include "../include/mpi.h"

namespace orrery::mpi {

enum class Builtin : std::uint32_t {
  none,
  byte,
  packed,
  char_,
  signed_char,
  unsigned_char,
  short_,
  unsigned_short,
  int_,
  unsigned_,
  long_,
  unsigned_long,
  long_long_int,
  unsigned_long_long,
  float_,
  double_,
  long_double,
  wchar,
  int8,
  uint8,
  int16,
  uint16,
  int32,
  uint32,
  int64,
  uint64,
  aint,
  offset,
  count,
  c_bool,
  c_float_complex,
  c_double_complex,
  c_long_double_complex,
  cxx_bool,
  cxx_float_complex,
  cxx_double_complex,
  cxx_long_double_complex,
  float_and_int,
  double_and_int,
  long_double_and_int,
  long_and_int,
  short_and_int,
  two_int
};
inline constexpr std::size_t builtin_count = 43;

enum class BuiltinOperation : std::uint32_t {
  none,
  max,
  min,
  sum,
  prod,
  land,
  band,
  lor,
  bor,
  lxor,
  bxor,
  maxloc,
  minloc,
  replace,
  no_op
};
inline constexpr std::size_t builtin_operation_count = 15;

/// What MPI_MAXLOC and MPI_MINLOC work on.
template <typename Value>
struct ValueAndIndex {
  Value value;
  int index;
};

/// Which operations a type takes part in (table in section 5.9.2).
enum class TypeClass : std::uint8_t {
  none,
  byte,
  packed,
  character,
  integer,
  floating,
  logical,
  complex,
  pair
};

struct BuiltinInfo {
  const char* name;
  TypeClass type_class;
  std::size_t extent_bytes;
  Builtin first;              ///< of a pair: its value
  std::size_t second_offset;  ///< of a pair: where the int lies
};

const BuiltinInfo& describe(Builtin type);
const char* name_of(BuiltinOperation operation);

/// Calls `visit.template operator()<T>()` with the C++ type of a predefined type.
template <typename Visitor>
decltype(auto) visit_builtin(Builtin type, Visitor&& visit) {
  switch (type) {
    case Builtin::byte: return visit.template operator()<unsigned char>();
    case Builtin::packed: return visit.template operator()<unsigned char>();
    case Builtin::char_: return visit.template operator()<char>();
    case Builtin::signed_char: return visit.template operator()<signed char>();
    case Builtin::unsigned_char: return visit.template operator()<unsigned char>();
    case Builtin::short_: return visit.template operator()<short>();
    case Builtin::unsigned_short: return visit.template operator()<unsigned short>();
    case Builtin::int_: return visit.template operator()<int>();
    case Builtin::unsigned_: return visit.template operator()<unsigned>();
    case Builtin::long_: return visit.template operator()<long>();
    case Builtin::unsigned_long: return visit.template operator()<unsigned long>();
    case Builtin::long_long_int: return visit.template operator()<long long>();
    case Builtin::unsigned_long_long: return visit.template operator()<unsigned long long>();
    case Builtin::float_: return visit.template operator()<float>();
    case Builtin::double_: return visit.template operator()<double>();
    case Builtin::long_double: return visit.template operator()<long double>();
    case Builtin::wchar: return visit.template operator()<wchar_t>();
    case Builtin::int8: return visit.template operator()<std::int8_t>();
    case Builtin::uint8: return visit.template operator()<std::uint8_t>();
    case Builtin::int16: return visit.template operator()<std::int16_t>();
    case Builtin::uint16: return visit.template operator()<std::uint16_t>();
    case Builtin::int32: return visit.template operator()<std::int32_t>();
    case Builtin::uint32: return visit.template operator()<std::uint32_t>();
    case Builtin::int64: return visit.template operator()<std::int64_t>();
    case Builtin::uint64: return visit.template operator()<std::uint64_t>();
    case Builtin::aint: return visit.template operator()<MPI_Aint>();
    case Builtin::offset: return visit.template operator()<MPI_Offset>();
    case Builtin::count: return visit.template operator()<MPI_Count>();
    case Builtin::c_bool: return visit.template operator()<bool>();
    case Builtin::c_float_complex: return visit.template operator()<std::complex<float>>();
    case Builtin::c_double_complex: return visit.template operator()<std::complex<double>>();
    case Builtin::c_long_double_complex:
      return visit.template operator()<std::complex<long double>>();
    case Builtin::cxx_bool: return visit.template operator()<bool>();
    case Builtin::cxx_float_complex: return visit.template operator()<std::complex<float>>();
    case Builtin::cxx_double_complex: return visit.template operator()<std::complex<double>>();
    case Builtin::cxx_long_double_complex:
      return visit.template operator()<std::complex<long double>>();
    case Builtin::float_and_int: return visit.template operator()<ValueAndIndex<float>>();
    case Builtin::double_and_int: return visit.template operator()<ValueAndIndex<double>>();
    case Builtin::long_double_and_int:
      return visit.template operator()<ValueAndIndex<long double>>();
    case Builtin::long_and_int: return visit.template operator()<ValueAndIndex<long>>();
    case Builtin::short_and_int: return visit.template operator()<ValueAndIndex<short>>();
    case Builtin::two_int: return visit.template operator()<ValueAndIndex<int>>();
    case Builtin::none: break;
  }
  return visit.template operator()<unsigned char>();
}

}  // namespace orrery::mpi
