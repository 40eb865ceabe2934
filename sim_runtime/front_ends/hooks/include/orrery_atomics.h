/* Read before each file that gcc compiles for `orrery cc` (-imacros).
 *
 * With -fno-inline-atomics gcc calls a function for each atomic, but for these, which it still
 * writes out as instructions.  They become atomics of the other family.  Each is one visible
 * operation, as it is where gcc instruments accesses too (-fsanitize=thread).
 */
#pragma GCC system_header

/* gcc takes it for false where it calls functions. */
#define __atomic_always_lock_free(size, pointer) \
  ((size) == 1 || (size) == 2 || (size) == 4 || (size) == 8)

#define __atomic_test_and_set(pointer, order) \
  (__atomic_exchange_n((volatile unsigned char*)(pointer), (unsigned char)1, order) != 0)
#define __atomic_clear(pointer, order) \
  __atomic_store_n((volatile unsigned char*)(pointer), (unsigned char)0, order)

#define __sync_fetch_and_add(pointer, value, ...) __atomic_fetch_add(pointer, value, 5)
#define __sync_fetch_and_sub(pointer, value, ...) __atomic_fetch_sub(pointer, value, 5)
#define __sync_fetch_and_or(pointer, value, ...) __atomic_fetch_or(pointer, value, 5)
#define __sync_fetch_and_and(pointer, value, ...) __atomic_fetch_and(pointer, value, 5)
#define __sync_fetch_and_xor(pointer, value, ...) __atomic_fetch_xor(pointer, value, 5)
#define __sync_fetch_and_nand(pointer, value, ...) __atomic_fetch_nand(pointer, value, 5)
#define __sync_add_and_fetch(pointer, value, ...) __atomic_add_fetch(pointer, value, 5)
#define __sync_sub_and_fetch(pointer, value, ...) __atomic_sub_fetch(pointer, value, 5)
#define __sync_or_and_fetch(pointer, value, ...) __atomic_or_fetch(pointer, value, 5)
#define __sync_and_and_fetch(pointer, value, ...) __atomic_and_fetch(pointer, value, 5)
#define __sync_xor_and_fetch(pointer, value, ...) __atomic_xor_fetch(pointer, value, 5)
#define __sync_nand_and_fetch(pointer, value, ...) __atomic_nand_fetch(pointer, value, 5)
#define __sync_lock_test_and_set(pointer, value, ...) __atomic_exchange_n(pointer, value, 2)
#define __sync_lock_release(pointer, ...) __atomic_store_n(pointer, 0, 3)

#define __sync_bool_compare_and_swap(pointer, old, desired, ...)              \
  __extension__({                                                             \
    __typeof__(__atomic_load_n(pointer, 0)) orrery_expected =                 \
        (__typeof__(__atomic_load_n(pointer, 0)))(old);                       \
    __atomic_compare_exchange_n(pointer, &orrery_expected, desired, 0, 5, 5); \
  })
#define __sync_val_compare_and_swap(pointer, old, desired, ...)                     \
  __extension__({                                                                   \
    __typeof__(__atomic_load_n(pointer, 0)) orrery_expected =                       \
        (__typeof__(__atomic_load_n(pointer, 0)))(old);                             \
    (void)__atomic_compare_exchange_n(pointer, &orrery_expected, desired, 0, 5, 5); \
    orrery_expected;                                                                \
  })
