#include "space.hpp"

#include <algorithm>
#include <cstdlib>

namespace nbody {
namespace {

constexpr std::int64_t range = Space::cell_size;
constexpr std::int64_t speed_most = Space::cell_size / 4;

std::uint64_t mixed(std::uint64_t z) {
  z += 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

}  // namespace

Space::Space(int side, int bodies)
    : side_(side),
      bodies_(static_cast<std::size_t>(bodies)),
      cells_(std::make_unique<Cell[]>(static_cast<std::size_t>(side) * side)) {
  std::uint64_t number = 0;
  const auto extent = static_cast<std::uint64_t>(side) * cell_size;
  for (Body& body : bodies_) {
    body.position.x = static_cast<std::int64_t>(mixed(4 * number) % extent);
    body.position.y = static_cast<std::int64_t>(mixed(4 * number + 1) % extent);
    body.speed.x = static_cast<std::int64_t>(mixed(4 * number + 2) % 1024) - 512;
    body.speed.y = static_cast<std::int64_t>(mixed(4 * number + 3) % 1024) - 512;
    ++number;
    insert(body);
  }
}

std::int64_t Space::wrap(std::int64_t value) const {
  const std::int64_t extent = side_ * cell_size;
  return (value % extent + extent) % extent;
}

int Space::cell_of(Vector position) const {
  return static_cast<int>(position.y / cell_size) * side_ +
         static_cast<int>(position.x / cell_size);
}

std::array<int, 5> Space::near_half(int cell) const {
  const int x = cell % side_, y = cell / side_;
  const int right = (x + 1) % side_, left = (x + side_ - 1) % side_, up = (y + 1) % side_;
  return {cell, y * side_ + right, up * side_ + left, up * side_ + x, up * side_ + right};
}

// Bodies push each other away, the more the nearer, each axis for itself.
Vector Space::force(const Body& on, const Body& from) const {
  const std::int64_t half = side_ * cell_size / 2;
  const std::int64_t dx = wrap(on.position.x - from.position.x + half) - half;
  const std::int64_t dy = wrap(on.position.y - from.position.y + half) - half;
  if (std::abs(dx) >= range || std::abs(dy) >= range) return {};
  const std::int64_t strength = 2 * range - std::abs(dx) - std::abs(dy);
  return {dx * strength / (range * 64), dy * strength / (range * 64)};
}

long Space::interact(int one, int other) {
  // By number: two threads never wait for each other.
  std::unique_lock<std::mutex> lower(cells_[std::min(one, other)].mutex);
  std::unique_lock<std::mutex> upper;
  if (one != other) upper = std::unique_lock<std::mutex>(cells_[std::max(one, other)].mutex);
  long pairs = 0;
  for (Body* a = cells_[one].first; a != nullptr; a = a->next) {
    for (Body* b = one == other ? a->next : cells_[other].first; b != nullptr; b = b->next) {
      // Rounded for one of them only, so that action equals reaction; the one of them is the one
      // with the smaller address, in whatever order the lists are.
      const bool ordered = a < b;
      const Vector push = ordered ? force(*a, *b) : force(*b, *a);
      (ordered ? a : b)->force += push;
      (ordered ? b : a)->force -= push;
      ++pairs;
    }
  }
  return pairs;
}

void Space::insert(Body& body) {
  Cell& cell = cells_[cell_of(body.position)];
  const std::lock_guard<std::mutex> lock(cell.mutex);
  body.next = cell.first;
  cell.first = &body;
}

Body* Space::take_leaving(int cell, int step) {
#ifndef BUG
  const std::lock_guard<std::mutex> lock(cells_[cell].mutex);
#endif
  Body* leaving = nullptr;
  Body** link = &cells_[cell].first;
  while (Body* body = *link) {  // BUG: its own cell, but others put bodies into it
    if (body->moves == step) {
      link = &body->next;
      continue;
    }
    body->moves = step;
    body->speed += body->force;
    body->force = {};
    body->speed.x = std::clamp(body->speed.x, -speed_most, speed_most);
    body->speed.y = std::clamp(body->speed.y, -speed_most, speed_most);
    body->position += body->speed;
    body->position = {wrap(body->position.x), wrap(body->position.y)};
    if (cell_of(body->position) == cell) {
      link = &body->next;
      continue;
    }
    *link = body->next;
    body->next = leaving;
    leaving = body;
  }
  return leaving;
}

void Space::move(int cell, int step) {
  Body* leaving = take_leaving(cell, step);
  while (leaving != nullptr) {
    Body& body = *leaving;
    leaving = body.next;
    insert(body);
  }
}

long Space::count_in_place() const {
  long count = 0;
  for (int cell = 0; cell < cells(); ++cell) {
    for (const Body* body = cells_[cell].first; body != nullptr; body = body->next) {
      if (cell_of(body->position) == cell) ++count;
      // A list that bites its tail.
      if (count > static_cast<long>(bodies_.size())) return -1;
    }
  }
  return count;
}

Vector Space::momentum() const {
  Vector sum;
  for (const Body& body : bodies_) sum += body.speed;
  return sum;
}

std::uint64_t Space::hash() const {
  std::uint64_t hash = 0;
  for (const Body& body : bodies_) {
    for (const std::int64_t value :
         {body.position.x, body.position.y, body.speed.x, body.speed.y}) {
      hash = mixed(hash ^ static_cast<std::uint64_t>(value));
    }
  }
  return hash;
}

}  // namespace nbody
