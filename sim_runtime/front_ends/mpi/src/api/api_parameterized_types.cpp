// MPI 3.1, section 17.1.9: types for numbers of Fortran by their precision and range.
#include <array>

#include "types/derived_types.hpp"

using namespace orrery::mpi;

namespace {

/// A kind of numbers: as many decimal digits, and powers of ten up to so much.
struct NumberKind {
  int precision;
  int range;
  Builtin real;
  Builtin complex;
};

// What gfortran has, from small to large.
constexpr std::array<NumberKind, 4> real_kinds{
    {{6, 37, Builtin::real4, Builtin::complex8},
     {15, 307, Builtin::real8, Builtin::complex16},
     {18, 4931, Builtin::long_double, Builtin::c_long_double_complex},
     {33, 4931, Builtin::real16, Builtin::complex32}}};

struct IntegerKind {
  int range;
  Builtin type;
};
constexpr std::array<IntegerKind, 4> integer_kinds{{{2, Builtin::integer1},
                                                    {4, Builtin::integer2},
                                                    {9, Builtin::integer4},
                                                    {18, Builtin::integer8}}};

// The same arguments give the same handle, which nobody frees.
MPI_Datatype parameterized(const Call& call, int combiner, std::vector<int> arguments,
                           Builtin behaves_as) {
  for (Datatype* const type : call.state.parameterized_types) {
    if (type->recipe->combiner == combiner && type->recipe->integers == arguments) return type;
  }
  const Datatype& base = builtin_type(behaves_as);
  const MPI_Datatype made = make_type(call.state, base, {combiner, std::move(arguments), {}, {}});
  made->predefined = behaves_as;
  made->name = base.name;
  made->committed = true;
  call.state.parameterized_types.push_back(made);
  return made;
}

int create_floating(const Call& call, int combiner, int p, int r, Builtin NumberKind::*member,
                    MPI_Datatype* newtype) {
  if (const int error = call.check_result(newtype, "newtype")) return error;
  if (p == MPI_UNDEFINED && r == MPI_UNDEFINED)
    return call.fail(nullptr, MPI_ERR_ARG,
                     "arguments p and r are both MPI_UNDEFINED, and one must be given (MPI 3.1, "
                     "section 17.1.9)");
  for (const NumberKind& kind : real_kinds) {
    const bool is_precise = p == MPI_UNDEFINED || p <= kind.precision;
    const bool is_wide = r == MPI_UNDEFINED || r <= kind.range;
    if (!is_precise || !is_wide) continue;
    *newtype = parameterized(call, combiner, {p, r}, kind.*member);
    return MPI_SUCCESS;
  }
  return call.fail(nullptr, MPI_ERR_ARG,
                   "no number of Fortran has %d decimal digits and a range of %d (MPI 3.1, section "
                   "17.1.9)",
                   p, r);
}

Builtin matching(int typeclass, int size) {
  struct Match {
    int typeclass;
    int size;
    Builtin type;
  };
  static constexpr std::array<Match, 10> matches{{{MPI_TYPECLASS_INTEGER, 1, Builtin::integer1},
                                                  {MPI_TYPECLASS_INTEGER, 2, Builtin::integer2},
                                                  {MPI_TYPECLASS_INTEGER, 4, Builtin::integer4},
                                                  {MPI_TYPECLASS_INTEGER, 8, Builtin::integer8},
                                                  {MPI_TYPECLASS_REAL, 4, Builtin::real4},
                                                  {MPI_TYPECLASS_REAL, 8, Builtin::real8},
                                                  {MPI_TYPECLASS_REAL, 16, Builtin::real16},
                                                  {MPI_TYPECLASS_COMPLEX, 8, Builtin::complex8},
                                                  {MPI_TYPECLASS_COMPLEX, 16, Builtin::complex16},
                                                  {MPI_TYPECLASS_COMPLEX, 32, Builtin::complex32}}};
  for (const Match& match : matches)
    if (match.typeclass == typeclass && match.size == size) return match.type;
  return Builtin::none;
}

}  // namespace

ORRERY_MPI_API int MPI_Type_create_f90_real(int p, int r, MPI_Datatype* newtype) {
  return create_floating(ORRERY_CALL("MPI_Type_create_f90_real"), MPI_COMBINER_F90_REAL, p, r,
                         &NumberKind::real, newtype);
}
ORRERY_PROFILED(MPI_Type_create_f90_real);

ORRERY_MPI_API int MPI_Type_create_f90_complex(int p, int r, MPI_Datatype* newtype) {
  return create_floating(ORRERY_CALL("MPI_Type_create_f90_complex"), MPI_COMBINER_F90_COMPLEX, p, r,
                         &NumberKind::complex, newtype);
}
ORRERY_PROFILED(MPI_Type_create_f90_complex);

ORRERY_MPI_API int MPI_Type_create_f90_integer(int r, MPI_Datatype* newtype) {
  const Call call = ORRERY_CALL("MPI_Type_create_f90_integer");
  if (const int error = call.check_result(newtype, "newtype")) return error;
  for (const IntegerKind& kind : integer_kinds) {
    if (r > kind.range) continue;
    *newtype = parameterized(call, MPI_COMBINER_F90_INTEGER, {r}, kind.type);
    return MPI_SUCCESS;
  }
  return call.fail(nullptr, MPI_ERR_ARG,
                   "no integer of Fortran has a range of %d (MPI 3.1, section 17.1.9)", r);
}
ORRERY_PROFILED(MPI_Type_create_f90_integer);

ORRERY_MPI_API int MPI_Type_match_size(int typeclass, int size, MPI_Datatype* type) {
  const Call call = ORRERY_CALL("MPI_Type_match_size");
  if (const int error = call.check_result(type, "datatype")) return error;
  const Builtin found = matching(typeclass, size);
  if (found == Builtin::none)
    return call.fail(nullptr, MPI_ERR_ARG,
                     "there is no type of %d bytes in class %d, which must be one of "
                     "MPI_TYPECLASS_INTEGER, _REAL and _COMPLEX (MPI 3.1, section 17.1.9)",
                     size, typeclass);
  *type = predefined_handle(found);
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Type_match_size);
