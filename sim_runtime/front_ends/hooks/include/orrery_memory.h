/* Read before each file that gcc compiles for the image whose accesses are watched (-imacros).
 *
 * gcc writes out what it knows the size of, and no tool sees it.  (Where a source says `memcpy`,
 * -fno-builtin-memcpy keeps it a call; these are the compiler's own names, which libraries use.)
 * A size of one variable stays as it is: that is an access like any other.
 */
#pragma GCC system_header

#define orrery_hidden(value)                  \
  (__extension__({                            \
    __typeof__(value) orrery_value = (value); \
    __asm__("" : "+r"(orrery_value));         \
    orrery_value;                             \
  }))
#define orrery_size(size)                                                  \
  (__builtin_constant_p(size) && ((size) & ((size)-1)) == 0 && (size) <= 8 \
       ? (__SIZE_TYPE__)(size)                                             \
       : orrery_hidden((__SIZE_TYPE__)(size)))

#define __builtin_memcpy(to, from, size) __builtin_memcpy(to, from, orrery_size(size))
#define __builtin_memmove(to, from, size) __builtin_memmove(to, from, orrery_size(size))
#define __builtin_mempcpy(to, from, size) __builtin_mempcpy(to, from, orrery_size(size))
#define __builtin_memset(to, value, size) __builtin_memset(to, value, orrery_size(size))
#define __builtin___memcpy_chk(to, from, size, room) \
  __builtin___memcpy_chk(to, from, orrery_size(size), room)
#define __builtin___memmove_chk(to, from, size, room) \
  __builtin___memmove_chk(to, from, orrery_size(size), room)
#define __builtin___mempcpy_chk(to, from, size, room) \
  __builtin___mempcpy_chk(to, from, orrery_size(size), room)
#define __builtin___memset_chk(to, value, size, room) \
  __builtin___memset_chk(to, value, orrery_size(size), room)
#define __builtin___strcpy_chk(to, from, room) \
  __builtin___strcpy_chk(to, orrery_hidden((const char*)(from)), room)
#define __builtin___strcat_chk(to, from, room) \
  __builtin___strcat_chk(to, orrery_hidden((const char*)(from)), room)
