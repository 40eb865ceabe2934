#include "records.h"

#include <stddef.h>

static uint64_t mixed(uint64_t value) {
  value += 0x9e3779b97f4a7c15u;
  value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9u;
  value = (value ^ value >> 27) * 0x94d049bb133111ebu;
  return value ^ value >> 31;
}

const char* key_kind_name(KeyKind kind) {
  static const char* const names[KEY_KINDS] = {"even", "skewed", "sorted", "almost equal"};
  return names[kind];
}

void records_make(Record* records, int count, KeyKind kind, int rank) {
  for (int i = 0; i < count; ++i) {
    const uint64_t place = (uint64_t)rank * (uint64_t)count + (uint64_t)i;
    const uint64_t noise = mixed(place * KEY_KINDS + (uint64_t)kind);
    uint64_t key = noise;
    switch (kind) {
      case KEYS_SKEWED: key = noise >> (noise % 48); break;
      case KEYS_SORTED: key = place; break;
      case KEYS_ALMOST_EQUAL: key = noise % 16 == 0 ? noise % 3 : 1; break;
      default: break;
    }
    records[i] = (Record){key, (uint32_t)rank, (uint32_t)i};
  }
}

int record_compare(const void* a, const void* b) {
  const Record* const left = a;
  const Record* const right = b;
  if (left->key != right->key) return left->key < right->key ? -1 : 1;
  if (left->rank != right->rank) return left->rank < right->rank ? -1 : 1;
  return (left->number > right->number) - (left->number < right->number);
}

uint64_t record_hash(const Record* record) {
  return mixed(record->key ^ mixed((uint64_t)record->rank << 32 | record->number));
}

MPI_Datatype record_type(void) {
  const int lengths[2] = {1, 2};
  const MPI_Aint places[2] = {offsetof(Record, key), offsetof(Record, rank)};
  const MPI_Datatype types[2] = {MPI_UINT64_T, MPI_UINT32_T};
  MPI_Datatype type;
  MPI_Type_create_struct(2, lengths, places, types, &type);
  MPI_Type_commit(&type);
  return type;
}
