#include "force.hpp"

Force& Force::operator+=(const Force& other) {
  for (std::size_t i = 0; i < part.size(); ++i) part[i] += other.part[i];
  return *this;
}

Force force_on(const Atom& atom, const Atom& other) {
  Force force;
  std::array<std::int64_t, dimensions> apart{};
  std::int64_t nearness = cut_off;
  for (std::size_t i = 0; i < apart.size(); ++i) {
    apart[i] = way(other.place[i], atom.place[i]);
    const std::int64_t size = apart[i] < 0 ? -apart[i] : apart[i];
    if (size >= cut_off) return force;
    nearness -= size / dimensions;
  }
  // Like kinds part, unlike ones come together; the more, the nearer they are.
  const std::int64_t sign = atom.kind == other.kind ? 1 : -1;
  for (std::size_t i = 0; i < apart.size(); ++i) {
    force.part[i] = sign * (apart[i] >> 8) * (nearness >> 8) / (std::int64_t{1} << 17);
  }
  // Rounding is not symmetric: so the atom with the lower number decides for both.
  if (atom.id > other.id) {
    const Force opposite = force_on(other, atom);
    for (std::size_t i = 0; i < apart.size(); ++i) force.part[i] = -opposite.part[i];
  }
  return force;
}

void move(Atom& atom, const Force& force) {
  for (std::size_t i = 0; i < atom.place.size(); ++i) {
    atom.speed[i] += force.part[i];
    atom.place[i] += static_cast<Place>(atom.speed[i] / 8);
  }
}

void serial_steps(std::span<Atom> atoms, int steps) {
  std::vector<Force> forces(atoms.size());
  for (int step = 0; step < steps; ++step) {
    forces.assign(atoms.size(), Force{});
    for (std::size_t i = 0; i < atoms.size(); ++i) {
      for (std::size_t k = 0; k < atoms.size(); ++k) {
        if (i != k) forces[i] += force_on(atoms[i], atoms[k]);
      }
    }
    for (std::size_t i = 0; i < atoms.size(); ++i) move(atoms[i], forces[i]);
  }
}
