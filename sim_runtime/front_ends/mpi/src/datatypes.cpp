#include "datatypes.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <utility>

bool ompi_datatype_t::is_contiguous() const {
  if (size_bytes == 0) return true;
  return blocks.size() == 1 && blocks.front().offset_bytes == 0 && lower_bound == 0 &&
         upper_bound == static_cast<std::ptrdiff_t>(size_bytes);
}

orrery::mpi::Builtin ompi_datatype_t::builtin() const {
  if (header.magic != orrery::mpi::predefined_magic) return orrery::mpi::Builtin::none;
  return static_cast<orrery::mpi::Builtin>(header.index);
}

namespace orrery::mpi {
namespace {

std::size_t basic_size_bytes(Builtin basic) {
  return describe(basic).extent_bytes;
}

void append(std::vector<Block>& blocks, const Block& block) {
  if (block.count == 0) return;
  if (!blocks.empty()) {
    Block& last = blocks.back();
    const auto last_bytes = static_cast<std::ptrdiff_t>(last.count * basic_size_bytes(last.basic));
    if (last.basic == block.basic && last.offset_bytes + last_bytes == block.offset_bytes) {
      last.count += block.count;
      return;
    }
  }
  blocks.push_back(block);
}

void append_blocks(std::vector<Block>& blocks, const Part& part) {
  const Datatype& type = *part.type;
  if (type.is_contiguous() && !type.blocks.empty()) {
    const Block& only = type.blocks.front();
    append(blocks, {part.offset_bytes, only.basic, only.count * part.count});
    return;
  }
  for (std::size_t element = 0; element < part.count; ++element) {
    const std::ptrdiff_t base =
        part.offset_bytes + static_cast<std::ptrdiff_t>(element) * type.extent_bytes();
    for (const Block& block : type.blocks)
      append(blocks, {base + block.offset_bytes, block.basic, block.count});
  }
}

Datatype make_builtin(Builtin which) {
  const BuiltinInfo& info = describe(which);
  Datatype type;
  type.header = {predefined_magic, HandleKind::datatype, static_cast<std::uint32_t>(which)};
  type.name = info.name;
  type.committed = true;
  type.upper_bound = static_cast<std::ptrdiff_t>(info.extent_bytes);
  type.true_upper_bound = type.upper_bound;
  type.size_bytes = info.extent_bytes;
  if (info.type_class == TypeClass::none) return type;
  if (info.type_class != TypeClass::pair) {
    type.blocks = {{0, which, 1}};
    return type;
  }
  append(type.blocks, {0, info.first, 1});
  append(type.blocks, {static_cast<std::ptrdiff_t>(info.second_offset), Builtin::int_, 1});
  type.size_bytes = basic_size_bytes(info.first) + sizeof(int);
  type.true_upper_bound = static_cast<std::ptrdiff_t>(info.second_offset + sizeof(int));
  return type;
}

std::array<Datatype, builtin_count> make_builtins() {
  std::array<Datatype, builtin_count> types;
  for (std::size_t index = 0; index < builtin_count; ++index)
    types[index] = make_builtin(static_cast<Builtin>(index));
  return types;
}

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15U;
  return hash ^ (hash >> 29U);
}

// Runs of one basic type, merged as they come: 10 doubles sign alike however they were described.
class SignatureBuilder {
 public:
  void add(Builtin basic, std::uint64_t count) {
    if (basic == basic_) {
      count_ += count;
      return;
    }
    flush();
    basic_ = basic;
    count_ = count;
  }
  std::uint64_t finish() {
    flush();
    return hash_;
  }

 private:
  void flush() {
    if (count_ != 0) hash_ = mix(mix(hash_, static_cast<std::uint64_t>(basic_)), count_);
    count_ = 0;
  }
  std::uint64_t hash_ = 0;
  Builtin basic_ = Builtin::none;
  std::uint64_t count_ = 0;
};

}  // namespace

const Datatype& builtin_type(Builtin type) {
  static const std::array<Datatype, builtin_count> types = make_builtins();
  return types[static_cast<std::size_t>(type)];
}

void assemble(Datatype& target, std::span<const Part> parts) {
  constexpr auto unset = std::numeric_limits<std::ptrdiff_t>::max();
  target.lower_bound = target.true_lower_bound = unset;
  target.upper_bound = target.true_upper_bound = -unset;
  for (const Part& part : parts) {
    if (part.count == 0) continue;
    const Datatype& type = *part.type;
    const std::ptrdiff_t last = static_cast<std::ptrdiff_t>(part.count - 1) * type.extent_bytes();
    // Where an element lies grows steadily with its number: the bounds are at one of the ends.
    for (const std::ptrdiff_t base : {part.offset_bytes, part.offset_bytes + last}) {
      target.lower_bound = std::min(target.lower_bound, base + type.lower_bound);
      target.upper_bound = std::max(target.upper_bound, base + type.upper_bound);
      target.true_lower_bound = std::min(target.true_lower_bound, base + type.true_lower_bound);
      target.true_upper_bound = std::max(target.true_upper_bound, base + type.true_upper_bound);
    }
    target.size_bytes += part.count * type.size_bytes;
    append_blocks(target.blocks, part);
  }
  if (target.upper_bound < target.lower_bound) {  // no parts
    target.lower_bound = target.upper_bound = 0;
    target.true_lower_bound = target.true_upper_bound = 0;
  }
}

Footprint footprint(const Datatype& type, std::size_t count) {
  if (count == 0 || type.size_bytes == 0) return {};
  const std::ptrdiff_t last = static_cast<std::ptrdiff_t>(count - 1) * type.extent_bytes();
  return {type.true_lower_bound + std::min<std::ptrdiff_t>(0, last),
          type.true_upper_bound + std::max<std::ptrdiff_t>(0, last)};
}

std::ptrdiff_t alignment_bytes(const Datatype& type) {
  std::size_t strictest = 1;
  for (const Block& block : type.blocks)
    strictest =
        std::max(strictest, visit_builtin(block.basic, []<typename T>() { return alignof(T); }));
  return static_cast<std::ptrdiff_t>(strictest);
}

Signature signature(const Datatype& type, std::size_t count, std::size_t size_bytes_max) {
  const std::size_t size_bytes = std::min(type.size_bytes * count, size_bytes_max);
  SignatureBuilder builder;
  std::size_t left = size_bytes;
  const auto add = [&](const Block& block, std::size_t values) {
    const std::size_t value_bytes = basic_size_bytes(block.basic);
    const std::size_t fitting = std::min(values, left / value_bytes);
    builder.add(block.basic, fitting);
    left -= fitting * value_bytes;
    if (fitting < values && left > 0) builder.add(Builtin::none, std::exchange(left, 0));
  };
  if (type.blocks.size() == 1) {
    add(type.blocks.front(), type.blocks.front().count * count);
  } else {
    for (std::size_t element = 0; element < count && left > 0; ++element)
      for (const Block& block : type.blocks) add(block, block.count);
  }
  return {builder.finish(), size_bytes};
}

bool is_packed(const Datatype& type) {
  return type.blocks.size() == 1 && type.blocks.front().basic == Builtin::packed;
}

void pack(const Datatype& type, std::size_t count, const void* buffer, std::byte* packed) {
  if (count == 0 || type.size_bytes == 0) return;
  const auto* base = static_cast<const std::byte*>(buffer);
  if (type.is_contiguous()) {
    std::memcpy(packed, base, count * type.size_bytes);
    return;
  }
  for (std::size_t element = 0; element < count; ++element, base += type.extent_bytes()) {
    for (const Block& block : type.blocks) {
      const std::size_t bytes = block.count * basic_size_bytes(block.basic);
      std::memcpy(packed, base + block.offset_bytes, bytes);
      packed += bytes;
    }
  }
}

void unpack(const Datatype& type, std::size_t count, void* buffer, const std::byte* packed,
            std::size_t size_bytes) {
  size_bytes = std::min(size_bytes, count * type.size_bytes);
  if (size_bytes == 0) return;
  auto* base = static_cast<std::byte*>(buffer);
  if (type.is_contiguous()) {
    std::memcpy(base, packed, size_bytes);
    return;
  }
  for (; size_bytes > 0; base += type.extent_bytes()) {
    for (const Block& block : type.blocks) {
      const std::size_t bytes = std::min(size_bytes, block.count * basic_size_bytes(block.basic));
      if (bytes > 0) std::memcpy(base + block.offset_bytes, packed, bytes);
      packed += bytes;
      size_bytes -= bytes;
    }
  }
}

}  // namespace orrery::mpi
