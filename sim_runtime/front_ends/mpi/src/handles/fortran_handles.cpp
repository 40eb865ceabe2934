#include "fortran_handles.hpp"

#include <algorithm>

#include "predefined.hpp"
#include "types/derived_types.hpp"

namespace orrery::mpi {
namespace {

// Numbers below are those of predefined objects.
constexpr MPI_Fint first_number = 100;

// The types by their numbers in Open MPI's mpif.h; `none` but at the start: not known here.
constexpr std::array types_by_number{
    Builtin::none,
    Builtin::byte,
    Builtin::packed,
    Builtin::none,
    Builtin::none,
    Builtin::character,
    Builtin::logical,
    Builtin::integer,
    Builtin::integer1,
    Builtin::integer2,
    Builtin::integer4,
    Builtin::integer8,
    Builtin::none,
    Builtin::real,
    Builtin::real4,
    Builtin::real8,
    Builtin::real16,
    Builtin::double_precision,
    Builtin::complex,
    Builtin::complex8,
    Builtin::complex16,
    Builtin::complex32,
    Builtin::double_complex,
    Builtin::two_real,
    Builtin::two_double_precision,
    Builtin::two_integer,
    Builtin::two_complex,
    Builtin::two_double_complex,
    Builtin::none,
    Builtin::logical1,
    Builtin::logical2,
    Builtin::logical4,
    Builtin::logical8,
    Builtin::wchar,
    Builtin::char_,
    Builtin::unsigned_char,
    Builtin::signed_char,
    Builtin::short_,
    Builtin::unsigned_short,
    Builtin::int_,
    Builtin::unsigned_,
    Builtin::long_,
    Builtin::unsigned_long,
    Builtin::long_long_int,
    Builtin::unsigned_long_long,
    Builtin::float_,
    Builtin::double_,
    Builtin::long_double,
    Builtin::float_and_int,
    Builtin::double_and_int,
    Builtin::long_double_and_int,
    Builtin::long_and_int,
    Builtin::two_int,
    Builtin::short_and_int,
    Builtin::cxx_bool,
    Builtin::cxx_float_complex,
    Builtin::cxx_double_complex,
    Builtin::cxx_long_double_complex,
    Builtin::int8,
    Builtin::uint8,
    Builtin::int16,
    Builtin::uint16,
    Builtin::int32,
    Builtin::uint32,
    Builtin::int64,
    Builtin::uint64,
    Builtin::aint,
    Builtin::offset,
    Builtin::c_bool,
    Builtin::c_float_complex,
    Builtin::c_double_complex,
    Builtin::c_long_double_complex,
    Builtin::count,
};

void* type_by_number(std::size_t number) {
  if (number >= types_by_number.size()) return nullptr;
  if (number != 0 && types_by_number[number] == Builtin::none) return nullptr;
  return predefined_handle(types_by_number[number]);
}

}  // namespace

MPI_Fint FortranHandles::number_of(HandleKind kind, void* handle) {
  Table& table = tables_[static_cast<std::size_t>(kind)];
  const auto next = first_number + static_cast<MPI_Fint>(table.handles.size());
  const auto [entry, is_new] = table.numbers.try_emplace(handle, next);
  if (is_new) table.handles.push_back(handle);
  return entry->second;
}

void* FortranHandles::find(HandleKind kind, MPI_Fint number) const {
  const Table& table = tables_[static_cast<std::size_t>(kind)];
  const auto index = static_cast<std::size_t>(number) - first_number;
  return number >= first_number && index < table.handles.size() ? table.handles[index] : nullptr;
}

void* predefined_by_number(HandleKind kind, MPI_Fint number) {
  if (number < 0) return nullptr;
  const auto index = static_cast<std::size_t>(number);
  if (kind == HandleKind::datatype) return type_by_number(index);
  return predefined_symbol(kind, index);
}

MPI_Fint number_of_predefined(const HandleHeader& header) {
  // All but the types are numbered as our own lists are.
  if (header.kind != HandleKind::datatype) return static_cast<MPI_Fint>(header.index);
  const auto found =
      std::find(types_by_number.begin(), types_by_number.end(), static_cast<Builtin>(header.index));
  return static_cast<MPI_Fint>(found - types_by_number.begin());
}

}  // namespace orrery::mpi
