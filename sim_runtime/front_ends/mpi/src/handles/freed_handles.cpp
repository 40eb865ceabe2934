#include "freed_handles.hpp"

#include <string_view>

namespace orrery::mpi {
namespace {

bool frees(std::string_view call) {
  return call.ends_with("_free") || call.ends_with("_close") || call.ends_with("_disconnect");
}

}  // namespace

int fail_freed(const Call& call, const ErrorOwner* owner, int code, const HandleHeader& header,
               const char* argument, const char* what, const char* section) {
  const bool twice = frees(call.name);
  const bool was_freed = frees(header.freed.call);
  const OrreryPlace there{call.state.rank, header.freed.pc,
                          was_freed ? "freed here" : "completed here"};
  return call.fail_between(
      owner, {code, twice ? Misuse::double_free : Misuse::use_after_free}, there,
      "argument %s is %s that was %s before, by %s, and its handle was kept "
      "(MPI 3.1, section %s)",
      argument, what, was_freed ? "freed" : "completed", header.freed.call, section);
}

}  // namespace orrery::mpi
