// Data on its way between a program's memory and a file.
#pragma once

#include "file_calls.hpp"

namespace orrery::mpi {

/// Checked: what goes where.
struct FileData {
  bool writes = false;
  void* buffer = nullptr;
  std::size_t count = 0;
  const Datatype* type = nullptr;
  std::uint64_t position_bytes = 0;  ///< in the view
};

/// What came of it.
struct FileResult {
  std::size_t size_bytes = 0;  ///< of the program's data that was read or written
  int error_number = 0;        ///< of the system
};

/// Reads up to the end of the file, or writes.  Gives way to nobody.
FileResult move_data(ScratchPool& pool, const File& file, const FileData& data);

}  // namespace orrery::mpi
