// The well-known symbols behind predefined types and operations.
#include <array>

#include "builtins.hpp"
#include "derived_types.hpp"
#include "handles/predefined.hpp"

namespace orrery::mpi {
namespace {

constexpr ompi_predefined_datatype_t type(Builtin which) {
  return predefined<ompi_predefined_datatype_t>(HandleKind::datatype, which);
}

constexpr ompi_predefined_op_t operation(BuiltinOperation which) {
  return predefined<ompi_predefined_op_t>(HandleKind::operation, which);
}

}  // namespace
}  // namespace orrery::mpi

using namespace orrery::mpi;

extern "C" {
ORRERY_MPI_SYMBOL ompi_predefined_op_t ompi_mpi_op_null = operation(BuiltinOperation::none);
ORRERY_MPI_SYMBOL ompi_predefined_op_t ompi_mpi_op_max = operation(BuiltinOperation::max);
ORRERY_MPI_SYMBOL ompi_predefined_op_t ompi_mpi_op_min = operation(BuiltinOperation::min);
ORRERY_MPI_SYMBOL ompi_predefined_op_t ompi_mpi_op_sum = operation(BuiltinOperation::sum);
ORRERY_MPI_SYMBOL ompi_predefined_op_t ompi_mpi_op_prod = operation(BuiltinOperation::prod);
ORRERY_MPI_SYMBOL ompi_predefined_op_t ompi_mpi_op_land = operation(BuiltinOperation::land);
ORRERY_MPI_SYMBOL ompi_predefined_op_t ompi_mpi_op_band = operation(BuiltinOperation::band);
ORRERY_MPI_SYMBOL ompi_predefined_op_t ompi_mpi_op_lor = operation(BuiltinOperation::lor);
ORRERY_MPI_SYMBOL ompi_predefined_op_t ompi_mpi_op_bor = operation(BuiltinOperation::bor);
ORRERY_MPI_SYMBOL ompi_predefined_op_t ompi_mpi_op_lxor = operation(BuiltinOperation::lxor);
ORRERY_MPI_SYMBOL ompi_predefined_op_t ompi_mpi_op_bxor = operation(BuiltinOperation::bxor);
ORRERY_MPI_SYMBOL ompi_predefined_op_t ompi_mpi_op_maxloc = operation(BuiltinOperation::maxloc);
ORRERY_MPI_SYMBOL ompi_predefined_op_t ompi_mpi_op_minloc = operation(BuiltinOperation::minloc);
ORRERY_MPI_SYMBOL ompi_predefined_op_t ompi_mpi_op_replace = operation(BuiltinOperation::replace);
ORRERY_MPI_SYMBOL ompi_predefined_op_t ompi_mpi_op_no_op = operation(BuiltinOperation::no_op);

ORRERY_MPI_SYMBOL ompi_predefined_datatype_t ompi_mpi_datatype_null = type(Builtin::none);
ORRERY_MPI_SYMBOL ompi_predefined_datatype_t ompi_mpi_byte = type(Builtin::byte);
ORRERY_MPI_SYMBOL ompi_predefined_datatype_t ompi_mpi_packed = type(Builtin::packed);
ORRERY_MPI_SYMBOL ompi_predefined_datatype_t ompi_mpi_char = type(Builtin::char_);
ORRERY_MPI_SYMBOL ompi_predefined_datatype_t ompi_mpi_signed_char = type(Builtin::signed_char);
ORRERY_MPI_SYMBOL ompi_predefined_datatype_t ompi_mpi_unsigned_char = type(Builtin::unsigned_char);
ORRERY_MPI_SYMBOL ompi_predefined_datatype_t ompi_mpi_short = type(Builtin::short_);
ORRERY_MPI_SYMBOL ompi_predefined_datatype_t ompi_mpi_unsigned_short =
    type(Builtin::unsigned_short);
ORRERY_MPI_SYMBOL ompi_predefined_datatype_t ompi_mpi_int = type(Builtin::int_);
ORRERY_MPI_SYMBOL ompi_predefined_datatype_t ompi_mpi_unsigned = type(Builtin::unsigned_);
ORRERY_MPI_SYMBOL ompi_predefined_datatype_t ompi_mpi_long = type(Builtin::long_);
ORRERY_MPI_SYMBOL ompi_predefined_datatype_t ompi_mpi_unsigned_long = type(Builtin::unsigned_long);
ORRERY_MPI_SYMBOL ompi_predefined_datatype_t ompi_mpi_long_long_int = type(Builtin::long_long_int);
ORRERY_MPI_SYMBOL ompi_predefined_datatype_t ompi_mpi_unsigned_long_long =
    type(Builtin::unsigned_long_long);
ORRERY_MPI_SYMBOL ompi_predefined_datatype_t ompi_mpi_float = type(Builtin::float_);
ORRERY_MPI_SYMBOL ompi_predefined_datatype_t ompi_mpi_double = type(Builtin::double_);
ORRERY_MPI_SYMBOL ompi_predefined_datatype_t ompi_mpi_long_double = type(Builtin::long_double);
ORRERY_MPI_SYMBOL ompi_predefined_datatype_t ompi_mpi_wchar = type(Builtin::wchar);
ORRERY_MPI_SYMBOL ompi_predefined_datatype_t ompi_mpi_int8_t = type(Builtin::int8);
ORRERY_MPI_SYMBOL ompi_predefined_datatype_t ompi_mpi_uint8_t = type(Builtin::uint8);
ORRERY_MPI_SYMBOL ompi_predefined_datatype_t ompi_mpi_int16_t = type(Builtin::int16);
ORRERY_MPI_SYMBOL ompi_predefined_datatype_t ompi_mpi_uint16_t = type(Builtin::uint16);
ORRERY_MPI_SYMBOL ompi_predefined_datatype_t ompi_mpi_int32_t = type(Builtin::int32);
ORRERY_MPI_SYMBOL ompi_predefined_datatype_t ompi_mpi_uint32_t = type(Builtin::uint32);
ORRERY_MPI_SYMBOL ompi_predefined_datatype_t ompi_mpi_int64_t = type(Builtin::int64);
ORRERY_MPI_SYMBOL ompi_predefined_datatype_t ompi_mpi_uint64_t = type(Builtin::uint64);
ORRERY_MPI_SYMBOL ompi_predefined_datatype_t ompi_mpi_aint = type(Builtin::aint);
ORRERY_MPI_SYMBOL ompi_predefined_datatype_t ompi_mpi_offset = type(Builtin::offset);
ORRERY_MPI_SYMBOL ompi_predefined_datatype_t ompi_mpi_count = type(Builtin::count);
ORRERY_MPI_SYMBOL ompi_predefined_datatype_t ompi_mpi_c_bool = type(Builtin::c_bool);
ORRERY_MPI_SYMBOL ompi_predefined_datatype_t ompi_mpi_c_float_complex =
    type(Builtin::c_float_complex);
ORRERY_MPI_SYMBOL ompi_predefined_datatype_t ompi_mpi_c_double_complex =
    type(Builtin::c_double_complex);
ORRERY_MPI_SYMBOL ompi_predefined_datatype_t ompi_mpi_c_long_double_complex =
    type(Builtin::c_long_double_complex);
ORRERY_MPI_SYMBOL ompi_predefined_datatype_t ompi_mpi_cxx_bool = type(Builtin::cxx_bool);
ORRERY_MPI_SYMBOL ompi_predefined_datatype_t ompi_mpi_cxx_cplex = type(Builtin::cxx_float_complex);
ORRERY_MPI_SYMBOL ompi_predefined_datatype_t ompi_mpi_cxx_dblcplex =
    type(Builtin::cxx_double_complex);
ORRERY_MPI_SYMBOL ompi_predefined_datatype_t ompi_mpi_cxx_ldblcplex =
    type(Builtin::cxx_long_double_complex);
ORRERY_MPI_SYMBOL ompi_predefined_datatype_t ompi_mpi_float_int = type(Builtin::float_and_int);
ORRERY_MPI_SYMBOL ompi_predefined_datatype_t ompi_mpi_double_int = type(Builtin::double_and_int);
ORRERY_MPI_SYMBOL ompi_predefined_datatype_t ompi_mpi_longdbl_int =
    type(Builtin::long_double_and_int);
ORRERY_MPI_SYMBOL ompi_predefined_datatype_t ompi_mpi_long_int = type(Builtin::long_and_int);
ORRERY_MPI_SYMBOL ompi_predefined_datatype_t ompi_mpi_short_int = type(Builtin::short_and_int);
ORRERY_MPI_SYMBOL ompi_predefined_datatype_t ompi_mpi_2int = type(Builtin::two_int);

ORRERY_MPI_SYMBOL ompi_predefined_datatype_t ompi_mpi_character = type(Builtin::character);
ORRERY_MPI_SYMBOL ompi_predefined_datatype_t ompi_mpi_logical = type(Builtin::logical);
ORRERY_MPI_SYMBOL ompi_predefined_datatype_t ompi_mpi_logical1 = type(Builtin::logical1);
ORRERY_MPI_SYMBOL ompi_predefined_datatype_t ompi_mpi_logical2 = type(Builtin::logical2);
ORRERY_MPI_SYMBOL ompi_predefined_datatype_t ompi_mpi_logical4 = type(Builtin::logical4);
ORRERY_MPI_SYMBOL ompi_predefined_datatype_t ompi_mpi_logical8 = type(Builtin::logical8);
ORRERY_MPI_SYMBOL ompi_predefined_datatype_t ompi_mpi_integer = type(Builtin::integer);
ORRERY_MPI_SYMBOL ompi_predefined_datatype_t ompi_mpi_integer1 = type(Builtin::integer1);
ORRERY_MPI_SYMBOL ompi_predefined_datatype_t ompi_mpi_integer2 = type(Builtin::integer2);
ORRERY_MPI_SYMBOL ompi_predefined_datatype_t ompi_mpi_integer4 = type(Builtin::integer4);
ORRERY_MPI_SYMBOL ompi_predefined_datatype_t ompi_mpi_integer8 = type(Builtin::integer8);
ORRERY_MPI_SYMBOL ompi_predefined_datatype_t ompi_mpi_real = type(Builtin::real);
ORRERY_MPI_SYMBOL ompi_predefined_datatype_t ompi_mpi_real4 = type(Builtin::real4);
ORRERY_MPI_SYMBOL ompi_predefined_datatype_t ompi_mpi_real8 = type(Builtin::real8);
ORRERY_MPI_SYMBOL ompi_predefined_datatype_t ompi_mpi_real16 = type(Builtin::real16);
ORRERY_MPI_SYMBOL ompi_predefined_datatype_t ompi_mpi_dblprec = type(Builtin::double_precision);
ORRERY_MPI_SYMBOL ompi_predefined_datatype_t ompi_mpi_cplex = type(Builtin::complex);
ORRERY_MPI_SYMBOL ompi_predefined_datatype_t ompi_mpi_complex8 = type(Builtin::complex8);
ORRERY_MPI_SYMBOL ompi_predefined_datatype_t ompi_mpi_complex16 = type(Builtin::complex16);
ORRERY_MPI_SYMBOL ompi_predefined_datatype_t ompi_mpi_complex32 = type(Builtin::complex32);
ORRERY_MPI_SYMBOL ompi_predefined_datatype_t ompi_mpi_dblcplex = type(Builtin::double_complex);
ORRERY_MPI_SYMBOL ompi_predefined_datatype_t ompi_mpi_2real = type(Builtin::two_real);
ORRERY_MPI_SYMBOL ompi_predefined_datatype_t ompi_mpi_2dblprec =
    type(Builtin::two_double_precision);
ORRERY_MPI_SYMBOL ompi_predefined_datatype_t ompi_mpi_2integer = type(Builtin::two_integer);
ORRERY_MPI_SYMBOL ompi_predefined_datatype_t ompi_mpi_2cplex = type(Builtin::two_complex);
ORRERY_MPI_SYMBOL ompi_predefined_datatype_t ompi_mpi_2dblcplex = type(Builtin::two_double_complex);
}

namespace orrery::mpi {

void* predefined_operation_symbol(std::size_t index) {
  // In the order of `BuiltinOperation`.
  static const std::array<void*, builtin_operation_count> symbols{
      &ompi_mpi_op_null,   &ompi_mpi_op_max,     &ompi_mpi_op_min,  &ompi_mpi_op_sum,
      &ompi_mpi_op_prod,   &ompi_mpi_op_land,    &ompi_mpi_op_band, &ompi_mpi_op_lor,
      &ompi_mpi_op_bor,    &ompi_mpi_op_lxor,    &ompi_mpi_op_bxor, &ompi_mpi_op_maxloc,
      &ompi_mpi_op_minloc, &ompi_mpi_op_replace, &ompi_mpi_op_no_op};
  return index < symbols.size() ? symbols[index] : nullptr;
}

MPI_Datatype predefined_handle(Builtin type) {
  // In the order of `Builtin`.
  static const std::array<void*, builtin_count> symbols{&ompi_mpi_datatype_null,
                                                        &ompi_mpi_byte,
                                                        &ompi_mpi_packed,
                                                        &ompi_mpi_char,
                                                        &ompi_mpi_signed_char,
                                                        &ompi_mpi_unsigned_char,
                                                        &ompi_mpi_short,
                                                        &ompi_mpi_unsigned_short,
                                                        &ompi_mpi_int,
                                                        &ompi_mpi_unsigned,
                                                        &ompi_mpi_long,
                                                        &ompi_mpi_unsigned_long,
                                                        &ompi_mpi_long_long_int,
                                                        &ompi_mpi_unsigned_long_long,
                                                        &ompi_mpi_float,
                                                        &ompi_mpi_double,
                                                        &ompi_mpi_long_double,
                                                        &ompi_mpi_wchar,
                                                        &ompi_mpi_int8_t,
                                                        &ompi_mpi_uint8_t,
                                                        &ompi_mpi_int16_t,
                                                        &ompi_mpi_uint16_t,
                                                        &ompi_mpi_int32_t,
                                                        &ompi_mpi_uint32_t,
                                                        &ompi_mpi_int64_t,
                                                        &ompi_mpi_uint64_t,
                                                        &ompi_mpi_aint,
                                                        &ompi_mpi_offset,
                                                        &ompi_mpi_count,
                                                        &ompi_mpi_c_bool,
                                                        &ompi_mpi_c_float_complex,
                                                        &ompi_mpi_c_double_complex,
                                                        &ompi_mpi_c_long_double_complex,
                                                        &ompi_mpi_cxx_bool,
                                                        &ompi_mpi_cxx_cplex,
                                                        &ompi_mpi_cxx_dblcplex,
                                                        &ompi_mpi_cxx_ldblcplex,
                                                        &ompi_mpi_float_int,
                                                        &ompi_mpi_double_int,
                                                        &ompi_mpi_longdbl_int,
                                                        &ompi_mpi_long_int,
                                                        &ompi_mpi_short_int,
                                                        &ompi_mpi_2int,
                                                        &ompi_mpi_character,
                                                        &ompi_mpi_logical,
                                                        &ompi_mpi_logical1,
                                                        &ompi_mpi_logical2,
                                                        &ompi_mpi_logical4,
                                                        &ompi_mpi_logical8,
                                                        &ompi_mpi_integer,
                                                        &ompi_mpi_integer1,
                                                        &ompi_mpi_integer2,
                                                        &ompi_mpi_integer4,
                                                        &ompi_mpi_integer8,
                                                        &ompi_mpi_real,
                                                        &ompi_mpi_real4,
                                                        &ompi_mpi_real8,
                                                        &ompi_mpi_real16,
                                                        &ompi_mpi_dblprec,
                                                        &ompi_mpi_cplex,
                                                        &ompi_mpi_complex8,
                                                        &ompi_mpi_complex16,
                                                        &ompi_mpi_complex32,
                                                        &ompi_mpi_dblcplex,
                                                        &ompi_mpi_2real,
                                                        &ompi_mpi_2dblprec,
                                                        &ompi_mpi_2integer,
                                                        &ompi_mpi_2cplex,
                                                        &ompi_mpi_2dblcplex};
  return static_cast<MPI_Datatype>(symbols[static_cast<std::size_t>(type)]);
}

}  // namespace orrery::mpi
