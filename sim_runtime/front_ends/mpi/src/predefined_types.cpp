// The well-known symbols behind predefined types and operations.
#include "builtins.hpp"
#include "predefined.hpp"

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
}
