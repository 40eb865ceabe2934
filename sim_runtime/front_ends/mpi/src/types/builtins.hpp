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
  two_int,
  // Of Fortran.
  character,
  logical,
  logical1,
  logical2,
  logical4,
  logical8,
  integer,
  integer1,
  integer2,
  integer4,
  integer8,
  real,
  real4,
  real8,
  real16,
  double_precision,
  complex,
  complex8,
  complex16,
  complex32,
  double_complex,
  two_real,
  two_double_precision,
  two_integer,
  two_complex,
  two_double_complex
};
inline constexpr std::size_t builtin_count = 69;

/// REAL*16 of Fortran.
__extension__ using Float128 = __float128;

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
template <typename Value, typename Index = int>
struct ValueAndIndex {
  Value value;
  Index index;
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
  std::size_t alignment_bytes;
  Builtin first = Builtin::none;  ///< of two values: the first one's type
  Builtin second = Builtin::none;
  std::size_t second_offset = 0;  ///< where it lies
};

const BuiltinInfo& describe(Builtin type);
const char* name_of(BuiltinOperation operation);

/// Calls `visit.template operator()<T>()` with the C++ type of a predefined type; of two complex
/// numbers, with the type of one.
template <typename Visitor>
decltype(auto) visit_builtin(Builtin type, Visitor&& visit) {
  switch (type) {
    case Builtin::byte:
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
    case Builtin::character: return visit.template operator()<char>();
    case Builtin::logical: return visit.template operator()<std::int32_t>();
    case Builtin::logical1: return visit.template operator()<std::int8_t>();
    case Builtin::logical2: return visit.template operator()<std::int16_t>();
    case Builtin::logical4: return visit.template operator()<std::int32_t>();
    case Builtin::logical8: return visit.template operator()<std::int64_t>();
    case Builtin::integer: return visit.template operator()<std::int32_t>();
    case Builtin::integer1: return visit.template operator()<std::int8_t>();
    case Builtin::integer2: return visit.template operator()<std::int16_t>();
    case Builtin::integer4: return visit.template operator()<std::int32_t>();
    case Builtin::integer8: return visit.template operator()<std::int64_t>();
    case Builtin::real:
    case Builtin::real4: return visit.template operator()<float>();
    case Builtin::real8: return visit.template operator()<double>();
    case Builtin::real16: return visit.template operator()<Float128>();
    case Builtin::double_precision: return visit.template operator()<double>();
    case Builtin::complex:
    case Builtin::complex8: return visit.template operator()<std::complex<float>>();
    case Builtin::complex16: return visit.template operator()<std::complex<double>>();
    case Builtin::complex32: return visit.template operator()<std::complex<Float128>>();
    case Builtin::double_complex: return visit.template operator()<std::complex<double>>();
    case Builtin::two_real: return visit.template operator()<ValueAndIndex<float, float>>();
    case Builtin::two_double_precision:
      return visit.template operator()<ValueAndIndex<double, double>>();
    case Builtin::two_integer: return visit.template operator()<ValueAndIndex<std::int32_t>>();
    case Builtin::two_complex: return visit.template operator()<std::complex<float>>();
    case Builtin::two_double_complex: return visit.template operator()<std::complex<double>>();
    case Builtin::none: break;
  }
  return visit.template operator()<unsigned char>();
}

}  // namespace orrery::mpi
