// Handles as Fortran programs know them: small integers (MPI 3.1, section 17.2.4).
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <vector>

#include "handles.hpp"

namespace orrery::mpi {

/// The numbers of one rank's objects.  An object has one from the first time that it is asked for.
class FortranHandles {
 public:
  MPI_Fint number_of(HandleKind kind, void* handle);
  /// Null: nothing has this number.
  [[nodiscard]] void* find(HandleKind kind, MPI_Fint number) const;

 private:
  static constexpr std::size_t kinds = static_cast<std::size_t>(HandleKind::file) + 1;
  struct Table {
    std::vector<void*> handles;
    std::map<const void*, MPI_Fint> numbers;  ///< only ever looked up
  };
  std::array<Table, kinds> tables_;
};

/// The numbers of what is predefined, which mpif.h has as constants; null: no such number.
void* predefined_by_number(HandleKind kind, MPI_Fint number);
MPI_Fint number_of_predefined(const HandleHeader& header);

}  // namespace orrery::mpi
