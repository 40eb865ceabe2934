/* How a program's atomics and memory accesses reach a host.
 *
 * Each image that `orrery cc` links (a program, a shared library of a project) holds its own
 * definitions of what compilers call for atomics (`__tsan_atomic32_load`, `__atomic_load_4`, ...)
 * and, in an instrumented image, for accesses (`__tsan_read4`, ...).  They look at one pointer of
 * the image, its slot.  While that is null, as in a program that was started by itself, they do
 * what they are named for, and no more.  A host makes it lead to a table of this file's type.
 *
 * The slot is found by a note of the image: owner `Orrery`, type ORRERY_HOOKS_NOTE, whose content
 * is an OrreryHooksNote.  (A symbol would be hidden by version scripts, and lost by `strip`.)
 *
 * The version goes up whenever a field changes its meaning; fields are only ever added at the end.
 */
#ifndef ORRERY_HOOKS_H
#define ORRERY_HOOKS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ORRERY_HOOKS_VERSION 3u
#define ORRERY_HOOKS_NOTE 2u

typedef struct OrreryHooksNote {
  uint32_t version; /* ORRERY_HOOKS_VERSION of the image */
  int32_t slot;     /* an `OrreryHooks*`: its address less that of this field */
  int32_t room;     /* bytes that are not used: as above.  A host that loads copies of libraries
                       writes there, in its copy of the image, how they are called. */
  uint32_t room_bytes;
} OrreryHooksNote;

typedef enum OrreryAtomicKind {
  ORRERY_ATOMIC_LOAD = 0,
  ORRERY_ATOMIC_STORE = 1,
  ORRERY_ATOMIC_EXCHANGE = 2,
  ORRERY_ATOMIC_ADD = 3,
  ORRERY_ATOMIC_SUB = 4,
  ORRERY_ATOMIC_AND = 5,
  ORRERY_ATOMIC_OR = 6,
  ORRERY_ATOMIC_XOR = 7,
  ORRERY_ATOMIC_NAND = 8,
  ORRERY_ATOMIC_COMPARE_EXCHANGE = 9,
  ORRERY_ATOMIC_FENCE = 10 /* of no memory: `size_bytes` is 0 */
} OrreryAtomicKind;

/* An atomic operation that the program is about to do.  The host does it, when its turn has come.
 */
typedef struct OrreryAtomicOperation {
  uint8_t kind;          /* OrreryAtomicKind */
  uint8_t order;         /* as __ATOMIC_SEQ_CST and its kin */
  uint8_t failure_order; /* of a compare-exchange */
  uint8_t has_succeeded; /* out, of a compare-exchange: 1 if it has written */
  uint32_t size_bytes;   /* any: objects of odd sizes are read and written as a whole */
  void* address;
  const void* operand; /* what is stored, added, ... ; of a compare-exchange what it would write */
  void* value;         /* out: what was there before.  Of a compare-exchange in also: what is
                          expected; left as it is on success.  Not of a store. */
  uintptr_t pc;        /* the return address in the program */
} OrreryAtomicOperation;

/* A memory access, in 16 bytes. */
typedef struct OrreryAccess {
  uint64_t place; /* the address in the lower 48 bits, ORRERY_ACCESS_WRITE, and the size above
                     bit 48 */
  uint64_t pc;    /* the return address in the program */
} OrreryAccess;

#define ORRERY_ACCESS_ADDRESS_BITS 48
#define ORRERY_ACCESS_WRITE (1ull << 63)
#define ORRERY_ACCESS_SIZE_MAX 0x7fffu /* bytes; what is longer comes in several pieces */

static inline uint64_t orrery_access_bytes(OrreryAccess access) {
  return access.place >> ORRERY_ACCESS_ADDRESS_BITS & ORRERY_ACCESS_SIZE_MAX;
}

/* Is the one the target of an assignment, and the other, which came next, its source?  Where a
 * structure of more than a word is assigned gcc tells of what is written, a few instructions
 * further of what is read, and then both are done. */
#define ORRERY_ASSIGNMENT_BYTES_MIN 9u
#define ORRERY_ASSIGNMENT_CODE_BYTES 64u
static inline int orrery_is_assignment(uint64_t written_bytes, uintptr_t writer_pc,
                                       uint64_t read_bytes, uintptr_t reader_pc) {
  return written_bytes == read_bytes && read_bytes >= ORRERY_ASSIGNMENT_BYTES_MIN &&
         reader_pc - writer_pc < ORRERY_ASSIGNMENT_CODE_BYTES;
}

/* Which accesses a host need not be told again, since the running task came from it: two bytes for
 * each eight bytes of memory, the first with a bit for each of them that was read, the second with
 * a bit for each that was written.
 *
 * Repeated accesses of a task between two operations tell a detector of races nothing: Flanagan and
 * Freund, "RedCard: redundant check elimination for dynamic race detectors", ECOOP 2013, leave them
 * out by a static analysis; here bits of memory of our own remember them.
 *
 * Those of all addresses lie in one row, so that a look takes the hooks few instructions; the host
 * sets to zero again what has been marked. */
#define ORRERY_TOLD_ADDRESSES (1ull << 47) /* of programs */
#define ORRERY_TOLD_BYTES (ORRERY_TOLD_ADDRESSES / 4)

typedef struct OrreryHooks {
  uint32_t version;    /* ORRERY_HOOKS_VERSION */
  uint32_t size_bytes; /* of this struct, as the host was built */

  void (*atomic)(struct OrreryHooks*, OrreryAtomicOperation*);

  /* Accesses that are new to `told` are noted there and appended at `next`.  Where that is `end`
   * they are handed to `access` instead, which may make room, or ask whose turn it is; the host
   * then notes what it need not be told again. */
  OrreryAccess* next;
  OrreryAccess* end;
  void (*access)(struct OrreryHooks*, OrreryAccess);
  uint8_t* told;      /* of address 0 */
  uint64_t told_mask; /* the bits of an address that tell where its bytes are: not the lowest three.
                         None: all addresses have those of address 0, and of address 8 where they
                         lie in two words. */
} OrreryHooks;

/* Where the bits are of the eight bytes in which an address lies: of reads, or of writes. */
static inline uint8_t* orrery_told(uint8_t* told, uint64_t told_mask, uint64_t address,
                                   int is_write) {
  return told + ((address & told_mask) >> 2) + (is_write ? 1 : 0);
}
/* Which of them stand for an access that lies within eight bytes. */
static inline uint8_t orrery_told_bits(uint64_t address, uint64_t size_bytes) {
  return (((1u << size_bytes) - 1) << (address & 7)) & 0xffu;
}

#ifdef __cplusplus
}
#endif
#endif
