#include "known_pairs.hpp"

namespace orrery::mpi {
namespace {

constexpr std::size_t shapes_max = 4096;
constexpr std::size_t pairs_max = 16384;

}  // namespace

BufferShape KnownPairs::shape_of(const Datatype& type, std::size_t count) {
  const Shape shape{type.layout.get(), type.extent_bytes(), count};
  if (const Numbered* const known = shapes_.find(shape)) return known->shape;
  // The numbers go on: what has one keeps it.
  if (shapes_.size() >= shapes_max) shapes_.clear();
  return shapes_.insert(shape, {++last_shape_, type.layout}).shape;
}

void KnownPairs::insert(BufferShape first, BufferShape second, std::uintptr_t distance_bytes,
                        bool shares) {
  if (pairs_.size() >= pairs_max) pairs_.clear();
  pairs_.insert({std::uint64_t{first} << 32U | second, distance_bytes}, shares);
}

}  // namespace orrery::mpi
