// Of <string.h>, what goes up to a zero.  How far that is, is found out first: the accesses are
// told before they happen.  Where others may have a turn between two accesses it goes word by word
// (text_walks.hpp), for then how far it is depends on what was read.
#include <wchar.h>

#include "text_walks.hpp"
#include "wrapped.hpp"

using orrery::hooks::append_word_by_word;
using orrery::hooks::come_one_by_one;
using orrery::hooks::compare_word_by_word;
using orrery::hooks::copy_word_by_word;
using orrery::hooks::is_attached;
using orrery::hooks::KeptText;
using orrery::hooks::length_word_by_word;
using orrery::hooks::reads;
using orrery::hooks::search_word_by_word;
using orrery::hooks::writes;
using std::size_t;

namespace orrery::hooks {
namespace {

extern "C" {
size_t plain_strlen(const char*) __asm__("__real_strlen");
size_t plain_strnlen(const char*, size_t) __asm__("__real_strnlen");
size_t plain_wcslen(const wchar_t*) __asm__("__real_wcslen");
int plain_strncmp(const char*, const char*, size_t) __asm__("__real_strncmp");
int plain_strncasecmp(const char*, const char*, size_t) __asm__("__real_strncasecmp");
void* plain_memset(void*, int, size_t) __asm__("__real_memset");
}

/// With its zero.
size_t bytes_of(const char* text) {
  return plain_strlen(text) + 1;
}

/// With its zero, if there is one among so many.
size_t bytes_of(const char* text, size_t most) {
  const size_t length = plain_strnlen(text, most);
  return length < most ? length + 1 : most;
}

void reads_text(const char* text, std::uintptr_t caller) {
  if (is_attached()) reads(text, bytes_of(text), caller);
}

void reads_text(const char* text, size_t most, std::uintptr_t caller) {
  if (is_attached()) reads(text, bytes_of(text, most), caller);
}

void copies_text(char* to, const char* from, std::uintptr_t caller) {
  if (!is_attached()) return;
  const size_t bytes = bytes_of(from);
  reads(from, bytes, caller);
  writes(to, bytes, caller);
}

// What is left of `most` is filled with zeros.
void copies_text(char* to, const char* from, size_t most, std::uintptr_t caller) {
  if (!is_attached()) return;
  reads(from, bytes_of(from, most), caller);
  writes(to, most, caller);
}

void appends_text(char* to, const char* from, size_t most, std::uintptr_t caller) {
  if (!is_attached()) return;
  const size_t length = plain_strlen(to);
  reads(to, length + 1, caller);
  reads(from, bytes_of(from, most), caller);
  writes(to + length, plain_strnlen(from, most) + 1, caller);
}

/// As `strncpy` does; how long the text is.
size_t copy_and_fill(char* to, const char* from, size_t most, std::uintptr_t caller) {
  const size_t length = copy_word_by_word(to, from, most, caller);
  if (length >= most) return most;
  writes(to + length, most - length, caller);
  plain_memset(to + length, 0, most - length);
  return length;
}

/// What a comparison has read of each.
size_t compared(const char* one, const char* other, size_t most, bool ignores_case) {
  const auto plain = [ignores_case](char letter) {
    const bool is_capital = letter >= 'A' && letter <= 'Z';
    return ignores_case && is_capital ? static_cast<char>(letter - 'A' + 'a') : letter;
  };
  size_t at = 0;
  while (at < most && plain(one[at]) == plain(other[at]) && one[at] != '\0') ++at;
  return at < most ? at + 1 : most;
}

size_t compared_exactly(const char* one, const char* other, size_t most) {
  return compared(one, other, most, false);
}

size_t compared_without_case(const char* one, const char* other, size_t most) {
  return compared(one, other, most, true);
}

void compares(const char* one, const char* other, size_t most, bool ignores_case,
              std::uintptr_t caller) {
  if (!is_attached()) return;
  const size_t bytes = compared(one, other, most, ignores_case);
  reads(one, bytes, caller);
  reads(other, bytes, caller);
}

/// A search for one letter, which ends where it is found.
void searches(const char* text, const char* found, std::uintptr_t caller) {
  if (!is_attached()) return;
  reads(text, found == nullptr ? bytes_of(text) : static_cast<size_t>(found - text) + 1, caller);
}

}  // namespace
}  // namespace orrery::hooks

using namespace orrery::hooks;

ORRERY_WRAP(size_t, strlen, (const char* text)) {
  if (come_one_by_one(real_strlen)) return length_word_by_word(text, SIZE_MAX, ORRERY_CALLER);
  reads_text(text, ORRERY_CALLER);
  return real_strlen(text);
}

ORRERY_WRAP(size_t, strnlen, (const char* text, size_t most)) {
  if (come_one_by_one(real_strnlen)) return length_word_by_word(text, most, ORRERY_CALLER);
  reads_text(text, most, ORRERY_CALLER);
  return real_strnlen(text, most);
}

ORRERY_WRAP(char*, strcpy, (char* to, const char* from)) {
  if (come_one_by_one(real_strcpy)) {
    copy_word_by_word(to, from, SIZE_MAX, ORRERY_CALLER);
    return to;
  }
  copies_text(to, from, ORRERY_CALLER);
  return real_strcpy(to, from);
}

ORRERY_WRAP(char*, __strcpy_chk, (char* to, const char* from, size_t room)) {
  if (come_one_by_one(real___strcpy_chk)) {
    const size_t length = copy_word_by_word(to, from, room, ORRERY_CALLER);
    if (length >= room) return real___strcpy_chk(to, from, room);
    return to;
  }
  copies_text(to, from, ORRERY_CALLER);
  return real___strcpy_chk(to, from, room);
}

ORRERY_WRAP(char*, stpcpy, (char* to, const char* from)) {
  if (come_one_by_one(real_stpcpy)) {
    const size_t length = copy_word_by_word(to, from, SIZE_MAX, ORRERY_CALLER);
    return to + length;
  }
  copies_text(to, from, ORRERY_CALLER);
  return real_stpcpy(to, from);
}

ORRERY_WRAP(char*, __stpcpy_chk, (char* to, const char* from, size_t room)) {
  if (come_one_by_one(real___stpcpy_chk)) {
    const size_t length = copy_word_by_word(to, from, room, ORRERY_CALLER);
    if (length >= room) return real___stpcpy_chk(to, from, room);
    return to + length;
  }
  copies_text(to, from, ORRERY_CALLER);
  return real___stpcpy_chk(to, from, room);
}

ORRERY_WRAP(char*, strncpy, (char* to, const char* from, size_t most)) {
  if (come_one_by_one(real_strncpy)) {
    copy_and_fill(to, from, most, ORRERY_CALLER);
    return to;
  }
  copies_text(to, from, most, ORRERY_CALLER);
  return real_strncpy(to, from, most);
}

ORRERY_WRAP(char*, __strncpy_chk, (char* to, const char* from, size_t most, size_t room)) {
  if (come_one_by_one(real___strncpy_chk) && most <= room) {
    copy_and_fill(to, from, most, ORRERY_CALLER);
    return to;
  }
  copies_text(to, from, most, ORRERY_CALLER);
  return real___strncpy_chk(to, from, most, room);
}

ORRERY_WRAP(char*, stpncpy, (char* to, const char* from, size_t most)) {
  if (come_one_by_one(real_stpncpy)) {
    const size_t length = copy_and_fill(to, from, most, ORRERY_CALLER);
    return to + length;
  }
  copies_text(to, from, most, ORRERY_CALLER);
  return real_stpncpy(to, from, most);
}

ORRERY_WRAP(char*, strcat, (char* to, const char* from)) {
  if (come_one_by_one(real_strcat)) {
    append_word_by_word(to, from, SIZE_MAX, SIZE_MAX, ORRERY_CALLER);
    return to;
  }
  appends_text(to, from, SIZE_MAX, ORRERY_CALLER);
  return real_strcat(to, from);
}

ORRERY_WRAP(char*, __strcat_chk, (char* to, const char* from, size_t room)) {
  if (come_one_by_one(real___strcat_chk) &&
      append_word_by_word(to, from, SIZE_MAX, room, ORRERY_CALLER))
    return to;
  appends_text(to, from, SIZE_MAX, ORRERY_CALLER);
  return real___strcat_chk(to, from, room);
}

ORRERY_WRAP(char*, strncat, (char* to, const char* from, size_t most)) {
  if (come_one_by_one(real_strncat)) {
    append_word_by_word(to, from, most, SIZE_MAX, ORRERY_CALLER);
    return to;
  }
  appends_text(to, from, most, ORRERY_CALLER);
  return real_strncat(to, from, most);
}

ORRERY_WRAP(char*, __strncat_chk, (char* to, const char* from, size_t most, size_t room)) {
  if (come_one_by_one(real___strncat_chk) &&
      append_word_by_word(to, from, most, room, ORRERY_CALLER))
    return to;
  appends_text(to, from, most, ORRERY_CALLER);
  return real___strncat_chk(to, from, most, room);
}

ORRERY_WRAP(int, strcmp, (const char* one, const char* other)) {
  if (come_one_by_one(real_strcmp)) {
    return compare_word_by_word(one, other, SIZE_MAX, ORRERY_CALLER, plain_strncmp,
                                compared_exactly);
  }
  compares(one, other, SIZE_MAX, false, ORRERY_CALLER);
  return real_strcmp(one, other);
}

ORRERY_WRAP(int, strncmp, (const char* one, const char* other, size_t most)) {
  if (come_one_by_one(real_strncmp)) {
    return compare_word_by_word(one, other, most, ORRERY_CALLER, plain_strncmp, compared_exactly);
  }
  compares(one, other, most, false, ORRERY_CALLER);
  return real_strncmp(one, other, most);
}

ORRERY_WRAP(int, strcasecmp, (const char* one, const char* other)) {
  if (come_one_by_one(real_strcasecmp)) {
    return compare_word_by_word(one, other, SIZE_MAX, ORRERY_CALLER, plain_strncasecmp,
                                compared_without_case);
  }
  compares(one, other, SIZE_MAX, true, ORRERY_CALLER);
  return real_strcasecmp(one, other);
}

ORRERY_WRAP(int, strncasecmp, (const char* one, const char* other, size_t most)) {
  if (come_one_by_one(real_strncasecmp)) {
    return compare_word_by_word(one, other, most, ORRERY_CALLER, plain_strncasecmp,
                                compared_without_case);
  }
  compares(one, other, most, true, ORRERY_CALLER);
  return real_strncasecmp(one, other, most);
}

ORRERY_WRAP(int, strcoll, (const char* one, const char* other)) {
  if (come_one_by_one(real_strcoll)) {
    const KeptText first(one, ORRERY_CALLER);
    const KeptText second(other, ORRERY_CALLER);
    return real_strcoll(first.text(), second.text());
  }
  reads_text(one, ORRERY_CALLER);
  reads_text(other, ORRERY_CALLER);
  return real_strcoll(one, other);
}

ORRERY_WRAP(char*, strchr, (const char* text, int letter)) {
  if (come_one_by_one(real_strchr)) {
    const char* const found = search_word_by_word(text, letter, ORRERY_CALLER);
    return *found == static_cast<char>(letter) ? const_cast<char*>(found) : nullptr;
  }
  searches(text, real_strchr(text, letter), ORRERY_CALLER);
  return real_strchr(text, letter);
}

ORRERY_WRAP(char*, strchrnul, (const char* text, int letter)) {
  if (come_one_by_one(real_strchrnul)) {
    return const_cast<char*>(search_word_by_word(text, letter, ORRERY_CALLER));
  }
  searches(text, real_strchrnul(text, letter), ORRERY_CALLER);
  return real_strchrnul(text, letter);
}

ORRERY_WRAP(char*, strrchr, (const char* text, int letter)) {
  if (come_one_by_one(real_strrchr)) {
    const KeptText kept(text, ORRERY_CALLER);
    return kept.original(real_strrchr(kept.text(), letter));
  }
  reads_text(text, ORRERY_CALLER);
  return real_strrchr(text, letter);
}

ORRERY_WRAP(char*, strstr, (const char* text, const char* part)) {
  if (come_one_by_one(real_strstr)) {
    const KeptText kept(text, ORRERY_CALLER);
    const KeptText kept_part(part, ORRERY_CALLER);
    return kept.original(real_strstr(kept.text(), kept_part.text()));
  }
  reads_text(text, ORRERY_CALLER);
  reads_text(part, ORRERY_CALLER);
  return real_strstr(text, part);
}

ORRERY_WRAP(char*, strcasestr, (const char* text, const char* part)) {
  if (come_one_by_one(real_strcasestr)) {
    const KeptText kept(text, ORRERY_CALLER);
    const KeptText kept_part(part, ORRERY_CALLER);
    return kept.original(real_strcasestr(kept.text(), kept_part.text()));
  }
  reads_text(text, ORRERY_CALLER);
  reads_text(part, ORRERY_CALLER);
  return real_strcasestr(text, part);
}

ORRERY_WRAP(size_t, strspn, (const char* text, const char* letters)) {
  if (come_one_by_one(real_strspn)) {
    const KeptText kept(text, ORRERY_CALLER);
    const KeptText kept_letters(letters, ORRERY_CALLER);
    return real_strspn(kept.text(), kept_letters.text());
  }
  if (is_attached()) reads(text, real_strspn(text, letters) + 1, ORRERY_CALLER);
  reads_text(letters, ORRERY_CALLER);
  return real_strspn(text, letters);
}

ORRERY_WRAP(size_t, strcspn, (const char* text, const char* letters)) {
  if (come_one_by_one(real_strcspn)) {
    const KeptText kept(text, ORRERY_CALLER);
    const KeptText kept_letters(letters, ORRERY_CALLER);
    return real_strcspn(kept.text(), kept_letters.text());
  }
  if (is_attached()) reads(text, real_strcspn(text, letters) + 1, ORRERY_CALLER);
  reads_text(letters, ORRERY_CALLER);
  return real_strcspn(text, letters);
}

ORRERY_WRAP(char*, strpbrk, (const char* text, const char* letters)) {
  if (come_one_by_one(real_strpbrk)) {
    const KeptText kept(text, ORRERY_CALLER);
    const KeptText kept_letters(letters, ORRERY_CALLER);
    return kept.original(real_strpbrk(kept.text(), kept_letters.text()));
  }
  searches(text, real_strpbrk(text, letters), ORRERY_CALLER);
  reads_text(letters, ORRERY_CALLER);
  return real_strpbrk(text, letters);
}

// What is new in the result is nobody else's yet.
ORRERY_WRAP(char*, strdup, (const char* text)) {
  if (come_one_by_one(real_strdup)) return real_strdup(KeptText(text, ORRERY_CALLER).text());
  reads_text(text, ORRERY_CALLER);
  return real_strdup(text);
}

ORRERY_WRAP(char*, strndup, (const char* text, size_t most)) {
  if (come_one_by_one(real_strndup))
    return real_strndup(KeptText(text, ORRERY_CALLER, most).text(), most);
  reads_text(text, most, ORRERY_CALLER);
  return real_strndup(text, most);
}

ORRERY_WRAP(long, strtol, (const char* text, char** end, int base)) {
  if (come_one_by_one(real_strtol)) {
    const KeptText kept(text, ORRERY_CALLER);
    char* behind = nullptr;
    const long number = real_strtol(kept.text(), &behind, base);
    if (end != nullptr) *end = kept.original(behind);
    return number;
  }
  reads_text(text, ORRERY_CALLER);
  return real_strtol(text, end, base);
}

ORRERY_WRAP(double, strtod, (const char* text, char** end)) {
  if (come_one_by_one(real_strtod)) {
    const KeptText kept(text, ORRERY_CALLER);
    char* behind = nullptr;
    const double number = real_strtod(kept.text(), &behind);
    if (end != nullptr) *end = kept.original(behind);
    return number;
  }
  reads_text(text, ORRERY_CALLER);
  return real_strtod(text, end);
}

ORRERY_WRAP(int, atoi, (const char* text)) {
  if (come_one_by_one(real_atoi)) return real_atoi(KeptText(text, ORRERY_CALLER).text());
  reads_text(text, ORRERY_CALLER);
  return real_atoi(text);
}

ORRERY_WRAP(size_t, wcslen, (const wchar_t* text)) {
  if (is_attached()) reads(text, (plain_wcslen(text) + 1) * sizeof(wchar_t), ORRERY_CALLER);
  return real_wcslen(text);
}

ORRERY_WRAP(wchar_t*, wcscpy, (wchar_t * to, const wchar_t* from)) {
  if (is_attached()) {
    const size_t bytes = (plain_wcslen(from) + 1) * sizeof(wchar_t);
    reads(from, bytes, ORRERY_CALLER);
    writes(to, bytes, ORRERY_CALLER);
  }
  return real_wcscpy(to, from);
}
