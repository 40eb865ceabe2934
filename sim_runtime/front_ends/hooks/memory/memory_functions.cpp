// Of <string.h>, what goes by sizes.
#include <stdint.h>
#include <wchar.h>

#include "wrapped.hpp"

using orrery::hooks::come_one_by_one;
using orrery::hooks::is_attached;
using orrery::hooks::kept_bytes;
using orrery::hooks::piece_of;
using orrery::hooks::reads;
using orrery::hooks::rest_of_word;
using orrery::hooks::writes;
using std::size_t;

extern "C" {
void* real_memcpy(void*, const void*, size_t) __asm__("__real_memcpy");
void* real_memchr(const void*, int, size_t) __asm__("__real_memchr");
}

namespace orrery::hooks {
namespace {

void copy_piece(char* to, const char* from, size_t bytes, std::uintptr_t caller) {
  char read[kept_bytes];
  reads(from, bytes, caller);
  real_memcpy(read, from, bytes);
  writes(to, bytes, caller);
  real_memcpy(to, read, bytes);
}

/// Piece by piece; where they overlap, what would be written over comes first.
void copy_pieces(char* to, const char* from, size_t bytes, std::uintptr_t caller) {
  const bool is_backwards = to > from && to < from + bytes;
  for (size_t done = 0; done < bytes;) {
    const size_t piece = piece_of(bytes - done);
    const size_t at = is_backwards ? bytes - done - piece : done;
    copy_piece(to + at, from + at, piece, caller);
    done += piece;
  }
}

template <typename Copy>
void copy(void* to, const void* from, size_t bytes, std::uintptr_t caller, const Copy& real) {
  if (come_one_by_one(real)) {
    return copy_pieces(static_cast<char*>(to), static_cast<const char*>(from), bytes, caller);
  }
  reads(from, bytes, caller);
  writes(to, bytes, caller);
  real(to, from, bytes);
}

/// Each piece when its turn has come.
template <typename Fill>
void fill(void* to, size_t bytes, std::uintptr_t caller, const Fill& real) {
  constexpr size_t piece_max = ORRERY_ACCESS_SIZE_MAX & ~size_t{7};
  char* const begin = static_cast<char*>(to);
  const size_t step = come_one_by_one() ? piece_max : bytes;
  for (size_t done = 0; done < bytes;) {
    const size_t piece = bytes - done < step ? bytes - done : step;
    writes(begin + done, piece, caller);
    real(begin + done, piece);
    done += piece;
  }
}

int compare(const void* one, const void* other, size_t bytes, std::uintptr_t caller);

}  // namespace
}  // namespace orrery::hooks

using namespace orrery::hooks;

ORRERY_WRAP(void*, memcpy, (void* to, const void* from, size_t bytes)) {
  copy(to, from, bytes, ORRERY_CALLER, real_memcpy);
  return to;
}

ORRERY_WRAP(void*, __memcpy_chk, (void* to, const void* from, size_t bytes, size_t room)) {
  if (bytes > room) return real___memcpy_chk(to, from, bytes, room);
  copy(to, from, bytes, ORRERY_CALLER, real_memcpy);
  return to;
}

ORRERY_WRAP(void*, memmove, (void* to, const void* from, size_t bytes)) {
  copy(to, from, bytes, ORRERY_CALLER, real_memmove);
  return to;
}

ORRERY_WRAP(void*, __memmove_chk, (void* to, const void* from, size_t bytes, size_t room)) {
  if (bytes > room) return real___memmove_chk(to, from, bytes, room);
  copy(to, from, bytes, ORRERY_CALLER, real_memmove);
  return to;
}

ORRERY_WRAP(void*, mempcpy, (void* to, const void* from, size_t bytes)) {
  copy(to, from, bytes, ORRERY_CALLER, real_mempcpy);
  return static_cast<char*>(to) + bytes;
}

ORRERY_WRAP(void*, __mempcpy_chk, (void* to, const void* from, size_t bytes, size_t room)) {
  if (bytes > room) return real___mempcpy_chk(to, from, bytes, room);
  copy(to, from, bytes, ORRERY_CALLER, real_mempcpy);
  return static_cast<char*>(to) + bytes;
}

ORRERY_WRAP(void, bcopy, (const void* from, void* to, size_t bytes)) {
  copy(to, from, bytes, ORRERY_CALLER, real_memmove);
}

ORRERY_WRAP(void*, memset, (void* to, int value, size_t bytes)) {
  fill(to, bytes, ORRERY_CALLER,
       [value](char* there, size_t size) { real_memset(there, value, size); });
  return to;
}

ORRERY_WRAP(void*, __memset_chk, (void* to, int value, size_t bytes, size_t room)) {
  if (bytes > room) return real___memset_chk(to, value, bytes, room);
  fill(to, bytes, ORRERY_CALLER,
       [value](char* there, size_t size) { real_memset(there, value, size); });
  return to;
}

ORRERY_WRAP(void, bzero, (void* to, size_t bytes)) {
  fill(to, bytes, ORRERY_CALLER, [](char* there, size_t size) { real_bzero(there, size); });
}

ORRERY_WRAP(void, explicit_bzero, (void* to, size_t bytes)) {
  fill(to, bytes, ORRERY_CALLER,
       [](char* there, size_t size) { real_explicit_bzero(there, size); });
}

ORRERY_WRAP(int, memcmp, (const void* one, const void* other, size_t bytes)) {
  if (come_one_by_one(real_memcmp)) return compare(one, other, bytes, ORRERY_CALLER);
  reads(one, bytes, ORRERY_CALLER);
  reads(other, bytes, ORRERY_CALLER);
  return real_memcmp(one, other, bytes);
}

ORRERY_WRAP(int, bcmp, (const void* one, const void* other, size_t bytes)) {
  if (come_one_by_one(real_bcmp)) return compare(one, other, bytes, ORRERY_CALLER);
  reads(one, bytes, ORRERY_CALLER);
  reads(other, bytes, ORRERY_CALLER);
  return real_bcmp(one, other, bytes);
}

namespace orrery::hooks {
namespace {

int compare(const void* one, const void* other, size_t bytes, std::uintptr_t caller) {
  const char* const first = static_cast<const char*>(one);
  const char* const second = static_cast<const char*>(other);
  for (size_t done = 0; done < bytes;) {
    char read[kept_bytes];
    const size_t piece = piece_of(bytes - done);
    reads(first + done, piece, caller);
    real_memcpy(read, first + done, piece);
    reads(second + done, piece, caller);
    if (const int order = real_memcmp(read, second + done, piece); order != 0) return order;
    done += piece;
  }
  return 0;
}

/// How much of a range has been read where a search ended at `found`.
size_t searched(const void* begin, size_t bytes, const void* found) {
  if (found == nullptr) return bytes;
  return static_cast<size_t>(static_cast<const char*>(found) - static_cast<const char*>(begin)) + 1;
}

void* search(const void* from, int value, size_t bytes, std::uintptr_t caller) {
  const char* const begin = static_cast<const char*>(from);
  for (size_t done = 0; done < bytes;) {
    const char* const here = begin + done;
    const size_t piece = rest_of_word(here, bytes - done);
    reads(here, searched(here, piece, real_memchr(here, value, piece)), caller);
    if (void* const found = real_memchr(here, value, piece)) return found;
    done += piece;
  }
  return nullptr;
}

}  // namespace
}  // namespace orrery::hooks

// Where others may have a turn meanwhile, it goes word by word; else where it ends is asked for
// twice.
ORRERY_WRAP(void*, memchr, (const void* from, int value, size_t bytes)) {
  if (come_one_by_one(real_memchr)) return search(from, value, bytes, ORRERY_CALLER);
  if (is_attached()) {
    reads(from, searched(from, bytes, real_memchr(from, value, bytes)), ORRERY_CALLER);
  }
  return real_memchr(from, value, bytes);
}

ORRERY_WRAP(void*, rawmemchr, (const void* from, int value)) {
  if (come_one_by_one(real_rawmemchr)) return search(from, value, SIZE_MAX, ORRERY_CALLER);
  if (is_attached()) reads(from, searched(from, 0, real_rawmemchr(from, value)), ORRERY_CALLER);
  return real_rawmemchr(from, value);
}

ORRERY_WRAP(void*, memrchr, (const void* from, int value, size_t bytes)) {
  reads(from, bytes, ORRERY_CALLER);
  return real_memrchr(from, value, bytes);
}

ORRERY_WRAP(void*, memmem, (const void* from, size_t bytes, const void* part, size_t part_bytes)) {
  reads(from, bytes, ORRERY_CALLER);
  reads(part, part_bytes, ORRERY_CALLER);
  return real_memmem(from, bytes, part, part_bytes);
}

ORRERY_WRAP(void*, memccpy, (void* to, const void* from, int last, size_t bytes)) {
  if (is_attached()) {
    const size_t copied = searched(from, bytes, real_memchr(from, last, bytes));
    reads(from, copied, ORRERY_CALLER);
    writes(to, copied, ORRERY_CALLER);
  }
  return real_memccpy(to, from, last, bytes);
}

ORRERY_WRAP(wchar_t*, wmemcpy, (wchar_t * to, const wchar_t* from, size_t count)) {
  copy(to, from, count * sizeof(wchar_t), ORRERY_CALLER, real_memmove);
  return to;
}

ORRERY_WRAP(wchar_t*, wmemmove, (wchar_t * to, const wchar_t* from, size_t count)) {
  copy(to, from, count * sizeof(wchar_t), ORRERY_CALLER, real_memmove);
  return to;
}

ORRERY_WRAP(wchar_t*, wmemset, (wchar_t * to, wchar_t value, size_t count)) {
  writes(to, count * sizeof(wchar_t), ORRERY_CALLER);
  return real_wmemset(to, value, count);
}

using Compare = int (*)(const void*, const void*);

ORRERY_WRAP(void, qsort, (void* base, size_t count, size_t bytes, Compare compare)) {
  reads(base, count * bytes, ORRERY_CALLER);
  writes(base, count * bytes, ORRERY_CALLER);
  real_qsort(base, count, bytes, compare);
}
