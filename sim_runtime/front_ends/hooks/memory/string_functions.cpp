// Of <string.h>, what goes up to a zero.  How far that is, is found out first: the accesses are
// told before they happen.
#include <wchar.h>

#include "wrapped.hpp"

using orrery::hooks::is_attached;
using orrery::hooks::reads;
using orrery::hooks::writes;
using std::size_t;

namespace {

extern "C" {
size_t plain_strlen(const char*) __asm__("__real_strlen");
size_t plain_strnlen(const char*, size_t) __asm__("__real_strnlen");
size_t plain_wcslen(const wchar_t*) __asm__("__real_wcslen");
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

ORRERY_WRAP(size_t, strlen, (const char* text)) {
  reads_text(text, ORRERY_CALLER);
  return real_strlen(text);
}

ORRERY_WRAP(size_t, strnlen, (const char* text, size_t most)) {
  reads_text(text, most, ORRERY_CALLER);
  return real_strnlen(text, most);
}

ORRERY_WRAP(char*, strcpy, (char* to, const char* from)) {
  copies_text(to, from, ORRERY_CALLER);
  return real_strcpy(to, from);
}

ORRERY_WRAP(char*, __strcpy_chk, (char* to, const char* from, size_t room)) {
  copies_text(to, from, ORRERY_CALLER);
  return real___strcpy_chk(to, from, room);
}

ORRERY_WRAP(char*, stpcpy, (char* to, const char* from)) {
  copies_text(to, from, ORRERY_CALLER);
  return real_stpcpy(to, from);
}

ORRERY_WRAP(char*, __stpcpy_chk, (char* to, const char* from, size_t room)) {
  copies_text(to, from, ORRERY_CALLER);
  return real___stpcpy_chk(to, from, room);
}

ORRERY_WRAP(char*, strncpy, (char* to, const char* from, size_t most)) {
  copies_text(to, from, most, ORRERY_CALLER);
  return real_strncpy(to, from, most);
}

ORRERY_WRAP(char*, __strncpy_chk, (char* to, const char* from, size_t most, size_t room)) {
  copies_text(to, from, most, ORRERY_CALLER);
  return real___strncpy_chk(to, from, most, room);
}

ORRERY_WRAP(char*, stpncpy, (char* to, const char* from, size_t most)) {
  copies_text(to, from, most, ORRERY_CALLER);
  return real_stpncpy(to, from, most);
}

ORRERY_WRAP(char*, strcat, (char* to, const char* from)) {
  appends_text(to, from, SIZE_MAX, ORRERY_CALLER);
  return real_strcat(to, from);
}

ORRERY_WRAP(char*, __strcat_chk, (char* to, const char* from, size_t room)) {
  appends_text(to, from, SIZE_MAX, ORRERY_CALLER);
  return real___strcat_chk(to, from, room);
}

ORRERY_WRAP(char*, strncat, (char* to, const char* from, size_t most)) {
  appends_text(to, from, most, ORRERY_CALLER);
  return real_strncat(to, from, most);
}

ORRERY_WRAP(char*, __strncat_chk, (char* to, const char* from, size_t most, size_t room)) {
  appends_text(to, from, most, ORRERY_CALLER);
  return real___strncat_chk(to, from, most, room);
}

ORRERY_WRAP(int, strcmp, (const char* one, const char* other)) {
  compares(one, other, SIZE_MAX, false, ORRERY_CALLER);
  return real_strcmp(one, other);
}

ORRERY_WRAP(int, strncmp, (const char* one, const char* other, size_t most)) {
  compares(one, other, most, false, ORRERY_CALLER);
  return real_strncmp(one, other, most);
}

ORRERY_WRAP(int, strcasecmp, (const char* one, const char* other)) {
  compares(one, other, SIZE_MAX, true, ORRERY_CALLER);
  return real_strcasecmp(one, other);
}

ORRERY_WRAP(int, strncasecmp, (const char* one, const char* other, size_t most)) {
  compares(one, other, most, true, ORRERY_CALLER);
  return real_strncasecmp(one, other, most);
}

ORRERY_WRAP(int, strcoll, (const char* one, const char* other)) {
  reads_text(one, ORRERY_CALLER);
  reads_text(other, ORRERY_CALLER);
  return real_strcoll(one, other);
}

ORRERY_WRAP(char*, strchr, (const char* text, int letter)) {
  searches(text, real_strchr(text, letter), ORRERY_CALLER);
  return real_strchr(text, letter);
}

ORRERY_WRAP(char*, strchrnul, (const char* text, int letter)) {
  searches(text, real_strchrnul(text, letter), ORRERY_CALLER);
  return real_strchrnul(text, letter);
}

ORRERY_WRAP(char*, strrchr, (const char* text, int letter)) {
  reads_text(text, ORRERY_CALLER);
  return real_strrchr(text, letter);
}

ORRERY_WRAP(char*, strstr, (const char* text, const char* part)) {
  reads_text(text, ORRERY_CALLER);
  reads_text(part, ORRERY_CALLER);
  return real_strstr(text, part);
}

ORRERY_WRAP(char*, strcasestr, (const char* text, const char* part)) {
  reads_text(text, ORRERY_CALLER);
  reads_text(part, ORRERY_CALLER);
  return real_strcasestr(text, part);
}

ORRERY_WRAP(size_t, strspn, (const char* text, const char* letters)) {
  if (is_attached()) reads(text, real_strspn(text, letters) + 1, ORRERY_CALLER);
  reads_text(letters, ORRERY_CALLER);
  return real_strspn(text, letters);
}

ORRERY_WRAP(size_t, strcspn, (const char* text, const char* letters)) {
  if (is_attached()) reads(text, real_strcspn(text, letters) + 1, ORRERY_CALLER);
  reads_text(letters, ORRERY_CALLER);
  return real_strcspn(text, letters);
}

ORRERY_WRAP(char*, strpbrk, (const char* text, const char* letters)) {
  searches(text, real_strpbrk(text, letters), ORRERY_CALLER);
  reads_text(letters, ORRERY_CALLER);
  return real_strpbrk(text, letters);
}

// What is new in the result is nobody else's yet.
ORRERY_WRAP(char*, strdup, (const char* text)) {
  reads_text(text, ORRERY_CALLER);
  return real_strdup(text);
}

ORRERY_WRAP(char*, strndup, (const char* text, size_t most)) {
  reads_text(text, most, ORRERY_CALLER);
  return real_strndup(text, most);
}

ORRERY_WRAP(long, strtol, (const char* text, char** end, int base)) {
  reads_text(text, ORRERY_CALLER);
  return real_strtol(text, end, base);
}

ORRERY_WRAP(double, strtod, (const char* text, char** end)) {
  reads_text(text, ORRERY_CALLER);
  return real_strtod(text, end);
}

ORRERY_WRAP(int, atoi, (const char* text)) {
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
