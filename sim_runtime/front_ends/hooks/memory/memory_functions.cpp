// Of <string.h>, what goes by sizes.
#include <wchar.h>

#include "wrapped.hpp"

using orrery::hooks::is_attached;
using orrery::hooks::reads;
using orrery::hooks::writes;
using std::size_t;

extern "C" void* real_memcpy(void*, const void*, size_t) __asm__("__real_memcpy");

namespace {

// Whoever records a run, or replays it, takes what is read for what is there at the turn of the
// read; others may have theirs before that of the write.
template <typename Copy>
void copy(void* to, const void* from, size_t bytes, std::uintptr_t caller, const Copy& real) {
  reads(from, bytes, caller);
  unsigned char read[512];
  const bool is_kept = is_attached() && bytes <= sizeof read;
  if (is_kept) real_memcpy(read, from, bytes);
  writes(to, bytes, caller);
  real(to, is_kept ? read : from, bytes);
}

}  // namespace

ORRERY_WRAP(void*, memcpy, (void* to, const void* from, size_t bytes)) {
  copy(to, from, bytes, ORRERY_CALLER, real_memcpy);
  return to;
}

ORRERY_WRAP(void*, __memcpy_chk, (void* to, const void* from, size_t bytes, size_t room)) {
  copy(to, from, bytes, ORRERY_CALLER, [room](void* there, const void* here, size_t size) {
    return real___memcpy_chk(there, here, size, room);
  });
  return to;
}

ORRERY_WRAP(void*, memmove, (void* to, const void* from, size_t bytes)) {
  copy(to, from, bytes, ORRERY_CALLER, real_memmove);
  return to;
}

ORRERY_WRAP(void*, __memmove_chk, (void* to, const void* from, size_t bytes, size_t room)) {
  copy(to, from, bytes, ORRERY_CALLER, [room](void* there, const void* here, size_t size) {
    return real___memmove_chk(there, here, size, room);
  });
  return to;
}

ORRERY_WRAP(void*, mempcpy, (void* to, const void* from, size_t bytes)) {
  copy(to, from, bytes, ORRERY_CALLER, real_mempcpy);
  return static_cast<char*>(to) + bytes;
}

ORRERY_WRAP(void*, __mempcpy_chk, (void* to, const void* from, size_t bytes, size_t room)) {
  copy(to, from, bytes, ORRERY_CALLER, [room](void* there, const void* here, size_t size) {
    return real___mempcpy_chk(there, here, size, room);
  });
  return static_cast<char*>(to) + bytes;
}

ORRERY_WRAP(void, bcopy, (const void* from, void* to, size_t bytes)) {
  copy(to, from, bytes, ORRERY_CALLER, real_memmove);
}

ORRERY_WRAP(void*, memset, (void* to, int value, size_t bytes)) {
  writes(to, bytes, ORRERY_CALLER);
  return real_memset(to, value, bytes);
}

ORRERY_WRAP(void*, __memset_chk, (void* to, int value, size_t bytes, size_t room)) {
  writes(to, bytes, ORRERY_CALLER);
  return real___memset_chk(to, value, bytes, room);
}

ORRERY_WRAP(void, bzero, (void* to, size_t bytes)) {
  writes(to, bytes, ORRERY_CALLER);
  real_bzero(to, bytes);
}

ORRERY_WRAP(void, explicit_bzero, (void* to, size_t bytes)) {
  writes(to, bytes, ORRERY_CALLER);
  real_explicit_bzero(to, bytes);
}

ORRERY_WRAP(int, memcmp, (const void* one, const void* other, size_t bytes)) {
  reads(one, bytes, ORRERY_CALLER);
  reads(other, bytes, ORRERY_CALLER);
  return real_memcmp(one, other, bytes);
}

ORRERY_WRAP(int, bcmp, (const void* one, const void* other, size_t bytes)) {
  reads(one, bytes, ORRERY_CALLER);
  reads(other, bytes, ORRERY_CALLER);
  return real_bcmp(one, other, bytes);
}

namespace {

/// How much of a range has been read where a search ended at `found`.
size_t searched(const void* begin, size_t bytes, const void* found) {
  if (found == nullptr) return bytes;
  return static_cast<size_t>(static_cast<const char*>(found) - static_cast<const char*>(begin)) + 1;
}

}  // namespace

// Where it ends is asked for twice: others may have a turn in between.
ORRERY_WRAP(void*, memchr, (const void* from, int value, size_t bytes)) {
  if (is_attached()) {
    reads(from, searched(from, bytes, real_memchr(from, value, bytes)), ORRERY_CALLER);
  }
  return real_memchr(from, value, bytes);
}

ORRERY_WRAP(void*, rawmemchr, (const void* from, int value)) {
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
  reads(from, count * sizeof(wchar_t), ORRERY_CALLER);
  writes(to, count * sizeof(wchar_t), ORRERY_CALLER);
  return real_wmemcpy(to, from, count);
}

ORRERY_WRAP(wchar_t*, wmemmove, (wchar_t * to, const wchar_t* from, size_t count)) {
  reads(from, count * sizeof(wchar_t), ORRERY_CALLER);
  writes(to, count * sizeof(wchar_t), ORRERY_CALLER);
  return real_wmemmove(to, from, count);
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
