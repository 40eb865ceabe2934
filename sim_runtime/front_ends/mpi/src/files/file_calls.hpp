// What calls on files have in common: checks, errors, agreement.
#pragma once

#include <cstdint>

#include "calls/call.hpp"
#include "collectives/collectives.hpp"
#include "file.hpp"

namespace orrery::mpi {

/// The file behind a handle.
int check_file(const Call& call, MPI_File handle, File*& found);
/// A result goes there: never null.
int check_result(const Call& call, const File& file, const void* pointer, const char* argument);
/// A type that can be used with a file.
int check_type(const Call& call, const File& file, MPI_Datatype handle, const char* argument,
               const Datatype*& found);
/// No offsets, since the file was opened with MPI_MODE_SEQUENTIAL (section 13.2.1)?
int check_has_offsets(const Call& call, const File& file);
/// No split collective is under way, of which a file may have one (section 13.4.5).
int check_no_split(const Call& call, const File& file);

/// Is it an info object, or MPI_INFO_NULL?
int check_hints(const Call& call, const ErrorOwner& owner, MPI_Info info);
/// Adds the hints of `info`, which was checked, to those that a file has.
void add_hints(MPI_Info info, InfoEntries& hints);

/// The class of error behind an error number of the system, and what it says.
int class_of(int error_number);
const char* text_of(int error_number);

/// Has a type stay while a file uses it, after the program has freed it.
void retain(RankState& state, const Datatype& type);

/// The turn of a call at a file, which all ranks that use it can see: between `begin` and `end`
/// nobody else gets on.
class FileTurn {
 public:
  FileTurn(const Call& call, FileContent& content, bool changes);
  void end();

 private:
  const Call& call_;
  FileContent& content_;
  OrreryAtomicAccess access_;
};

/// The ranks that opened a file agree on how a collective call ends, in two halves: rank 0 learns
/// how all are, acts, and tells everybody.
class Agreement {
 public:
  explicit Agreement(const Collective& collective) : collective_(collective) {}

  /// Gives rank 0 the first error of all ranks; MPI_ERR_NOT_SAME if `value` differs among them.
  /// What other ranks are given is their own error.
  int gather(int code, std::int64_t value);
  /// Gives all ranks what rank 0 says.
  int announce(int code);

 private:
  struct Opinion {
    std::int64_t value;
    std::int64_t code;
  };
  const Collective& collective_;
};

}  // namespace orrery::mpi
