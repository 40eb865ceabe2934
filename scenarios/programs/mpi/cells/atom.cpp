#include "atom.hpp"

#include <cstddef>

namespace {

std::uint64_t mixed(std::uint64_t value) {
  value ^= value >> 31;
  value *= 0x7fb5d329728ea185u;
  value ^= value >> 27;
  value *= 0x81dadef4bc2dd44du;
  return value ^ value >> 33;
}

}  // namespace

std::vector<Atom> first_atoms(int count) {
  std::vector<Atom> atoms;
  int edge = 1;
  while (edge * edge < count) ++edge;
  for (int i = 0; i < count; ++i) {
    Atom atom;
    atom.id = i;
    atom.kind = i % 3 == 0 ? 'b' : 'a';
    const std::array<int, dimensions> cell{i % edge, i / edge};
    for (int d = 0; d < dimensions; ++d) {
      // On a lattice, shaken; speeds in pairs that cancel, so that the momentum is 0.
      const std::uint64_t noise = mixed(static_cast<std::uint64_t>(i * dimensions + d + 1));
      const std::uint64_t pitch = (std::uint64_t{1} << 32) / static_cast<std::uint64_t>(edge);
      const std::uint64_t at = static_cast<std::uint64_t>(cell[static_cast<std::size_t>(d)]);
      atom.place[static_cast<std::size_t>(d)] =
          static_cast<Place>(at * pitch + pitch / 4 + noise % (pitch / 2));
      const bool has_partner = (i | 1) < count;
      const std::uint64_t partner = mixed(static_cast<std::uint64_t>((i | 1) * dimensions + d + 7));
      const auto speed = static_cast<std::int64_t>(partner % (std::uint64_t{1} << 29));
      if (has_partner) atom.speed[static_cast<std::size_t>(d)] = i % 2 == 0 ? speed : -speed;
    }
    atoms.push_back(atom);
  }
  return atoms;
}

std::uint64_t atom_hash(const Atom& atom) {
  std::uint64_t hash = mixed(static_cast<std::uint64_t>(atom.id) * 2 + (atom.kind == 'a' ? 0 : 1));
  for (int d = 0; d < dimensions; ++d) {
    const auto i = static_cast<std::size_t>(d);
    hash = mixed(hash ^ atom.place[i]);
    hash = mixed(hash ^ static_cast<std::uint64_t>(atom.speed[i]));
  }
  return hash;
}

AtomType::AtomType() {
  constexpr int parts = 4;
  std::array<int, parts> lengths{1, 1, dimensions, dimensions};
  std::array<MPI_Aint, parts> places{offsetof(Atom, id), offsetof(Atom, kind),
                                     offsetof(Atom, place), offsetof(Atom, speed)};
  std::array<MPI_Datatype, parts> types{MPI_INT32_T, MPI_CHAR, MPI_UINT32_T, MPI_INT64_T};
  MPI_Datatype packed = MPI_DATATYPE_NULL;
  MPI_Type_create_struct(parts, lengths.data(), places.data(), types.data(), &packed);
  MPI_Type_create_resized(packed, 0, sizeof(Atom), &type_);
  MPI_Type_commit(&type_);
  MPI_Type_free(&packed);
}
