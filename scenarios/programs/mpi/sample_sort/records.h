/* What is sorted: keys with their origin. */
#ifndef SAMPLE_SORT_RECORDS_H
#define SAMPLE_SORT_RECORDS_H

#include <mpi.h>
#include <stdint.h>

typedef struct {
  uint64_t key;
  uint32_t rank; /* where it was made */
  uint32_t number;
} Record;

/* How keys lie. */
typedef enum { KEYS_EVEN, KEYS_SKEWED, KEYS_SORTED, KEYS_ALMOST_EQUAL, KEY_KINDS } KeyKind;

const char* key_kind_name(KeyKind kind);

/* What rank `rank` begins with. */
void records_make(Record* records, int count, KeyKind kind, int rank);

/* By key, then by origin: no two are equal. */
int record_compare(const void* a, const void* b);

uint64_t record_hash(const Record* record);

/* A committed type; the caller frees it. */
MPI_Datatype record_type(void);

#endif
