// An atom, and the type that sends it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <mpi.h>

/// Where an atom is: the side of the space is 2^32, so that places go around by themselves.
using Place = std::uint32_t;

inline constexpr int dimensions = 2;

struct Atom {
  std::int32_t id = 0;
  char kind = 'a';  ///< its charge's sign: 'a' or 'b'
  std::array<Place, dimensions> place{};
  std::array<std::int64_t, dimensions> speed{};  ///< way in a step
};

/// The way from `from` to `to`, the shorter way round.
inline std::int64_t way(Place from, Place to) {
  return static_cast<std::int32_t>(to - from);
}

/// All atoms at the beginning, the same at each rank.
[[nodiscard]] std::vector<Atom> first_atoms(int count);

/// A hash of an atom's bits.
[[nodiscard]] std::uint64_t atom_hash(const Atom& atom);

/// An `Atom` with its holes, for MPI; freed at the end.
class AtomType {
 public:
  AtomType();
  ~AtomType() { MPI_Type_free(&type_); }
  AtomType(const AtomType&) = delete;
  AtomType& operator=(const AtomType&) = delete;
  [[nodiscard]] MPI_Datatype get() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};
