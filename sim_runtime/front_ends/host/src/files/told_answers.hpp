// What a program's calls that look at the system come to, in a replay of real threads: nothing but
// the log tells it.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>

namespace orrery::host {

/// Does the log have them for the thread that runs?
[[nodiscard]] bool has_told_answers();
/// And what is in files that the system makes up, in directories and in links?
[[nodiscard]] bool has_told_contents();

/// Something that a call gives to the program.
struct Given {
  void* place;
  std::size_t bytes;
};

/// The next result of the log's for this thread, -1 with `errno`; `own` where it has none.  After
/// one that is no failure come the bytes that the call gave.
[[nodiscard]] long told_answer(long own);
void told_bytes(Given given);
/// A result that says how long a text is, which follows; nothing: a failure.
[[nodiscard]] std::optional<std::string> told_text();

/// A call has come to `own`, which the program gets where no log tells it what it came to.
template <typename Result>
Result answered(Result own, std::initializer_list<Given> parts = {}) {
  if (!has_told_answers()) return own;
  const int error = errno;
  const long told = told_answer(static_cast<long>(own));
  for (const Given& part : parts) {
    if (told != -1 && part.place != nullptr) told_bytes(part);
  }
  if (told != -1) errno = error;
  return static_cast<Result>(told);
}

template <typename Result, typename T>
Result answered(Result own, T* given) {
  return answered(own, {{given, sizeof *given}});
}

}  // namespace orrery::host
