// Files that a program has opened (MPI 3.1, chapter 13).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "communicators/communicator.hpp"
#include "communicators/info.hpp"
#include "file_view.hpp"
#include "messages/request.hpp"

namespace orrery::mpi {

/// Whoever reads or writes a file meets all others who do, by whatever handle.
struct FileContent {
  std::uint64_t operations = 0;  ///< done so far; its address stands for the file
};

/// What the ranks that opened a file together have in common.
struct SharedFile {
  std::string path;
  FileContent* content = nullptr;
  orrery::mpi::InfoEntries hints;  ///< as the program gave them: none of them changes anything
  MPI_Offset position = 0;         ///< of the shared file pointer, in elements of the view
  bool is_sequential = false;
  std::int32_t users = 0;  ///< ranks that have it open
};

/// Those of a job.  They last as long as it does: the machine knows contents by their addresses.
class SharedFiles {
 public:
  struct Key {
    std::uint32_t context = 0;
    std::int32_t leader = 0;  ///< rank in the job of the communicator's rank 0
    auto operator<=>(const Key&) const = default;
  };
  SharedFile& at(const Key& key) { return files_[key]; }
  FileContent& content(const std::string& path) { return contents_[path]; }

 private:
  std::map<Key, SharedFile> files_;
  std::map<std::string, FileContent> contents_;
};

}  // namespace orrery::mpi

struct ompi_file_t : orrery::mpi::ErrorOwner {
  int descriptor = -1;
  int access_mode = 0;
  bool is_atomic = false;
  std::uintptr_t opened_at = 0;
  /// A duplicate of what the file was opened with: its collectives are ordered by themselves.
  ompi_communicator_t* communicator = nullptr;
  orrery::mpi::SharedFile* shared = nullptr;
  orrery::mpi::FileView view;
  MPI_Datatype element_handle = MPI_BYTE;  ///< of the view, as the program gave it
  MPI_Datatype file_type_handle = MPI_BYTE;
  orrery::mpi::InfoEntries hints;  ///< as the program gave them: none of them changes anything
  MPI_Offset position = 0;         ///< of this rank's own file pointer, in elements of the view
  orrery::mpi::Request* split = nullptr;  ///< the split collective that has begun
  std::uint32_t under_way = 0;  ///< non-blocking operations that the program has not completed
};

namespace orrery::mpi {
using File = ompi_file_t;
}
