#include "told_answers.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "ranks/rank_context.hpp"
#include "shared_file.hpp"

namespace orrery::host {

bool has_told_answers() {
  const ThreadContext* const thread = running().thread;
  return thread != nullptr && thread->answers_kept != AnswersKept::none;
}

bool has_told_contents() {
  const ThreadContext* const thread = running().thread;
  return thread != nullptr && thread->answers_kept == AnswersKept::contents;
}

long told_answer(long own) {
  return told_result(own == -1 ? -std::int64_t{errno == 0 ? EINVAL : errno} : own);
}

std::optional<std::string> told_text() {
  constexpr long bytes_max = 1L << 20U;
  errno = ENODATA;
  const long bytes = told_answer(-1);
  if (bytes < 0 || bytes > bytes_max) return std::nullopt;
  std::string text(static_cast<std::size_t>(bytes), '\0');
  told_bytes({text.data(), text.size()});
  return text;
}

void told_bytes(Given given) {
  auto* at = static_cast<char*>(given.place);
  for (std::size_t rest = given.bytes; rest > 0;) {
    const std::size_t part = std::min(rest, sizeof(std::uint64_t));
    std::uint64_t word = 0;
    std::memcpy(&word, at, part);
    word = told(word);
    std::memcpy(at, &word, part);
    at += part;
    rest -= part;
  }
}

}  // namespace orrery::host
