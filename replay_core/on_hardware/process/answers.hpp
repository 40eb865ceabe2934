// What calls came to that look at the system: nothing else that a log has tells it.
#pragma once

#include <cerrno>
#include <cstddef>
#include <initializer_list>

#include "watching.hpp"

namespace orrery::on_hardware {

/// Are such answers kept?  Of ranks of MPI they are not.
extern bool keeps_answers;

/// Something that a call has put where the program wanted it.
struct Given {
  const void* place;
  std::size_t bytes;
};

/// The result that the program gets, or -1 with `errno`; a success is followed by what it was
/// given.  `orrery::host::answered` asks for the same.
inline void keep_answer(long result, std::initializer_list<Given> parts) {
  const int error = errno;
  const long failure = error == 0 ? -long{EINVAL} : -long{error};
  readings().drew(static_cast<std::uint64_t>(result == -1 ? failure : result));
  for (const Given& part : parts) {
    if (result != -1 && part.place != nullptr) readings().drew(part.place, part.bytes);
  }
  errno = error;
}

/// Of the call that returns to `caller`; returns `result`.
template <typename Result>
Result answered(const void* caller, Result result, std::initializer_list<Given> parts = {}) {
  if (keeps_answers && is_read(caller)) keep_answer(static_cast<long>(result), parts);
  return result;
}

template <typename Result, typename T>
Result answered(const void* caller, Result result, const T* given) {
  return answered(caller, result, {{given, sizeof *given}});
}

}  // namespace orrery::on_hardware
