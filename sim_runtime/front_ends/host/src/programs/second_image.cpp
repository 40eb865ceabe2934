#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include <orrery/program_host/elf_sections.hpp>
#include <orrery/program_host/second_image.hpp>

namespace orrery {
namespace {

/// Before each image.
struct Frame {
  std::array<char, 8> magic;
  std::uint64_t size_bytes;  ///< of the image; the next frame begins at a multiple of eight
};
constexpr std::array<char, 8> frame_magic{'O', 'r', 'r', 'e', 'r', 'y', '2', '\n'};

std::size_t aligned(std::size_t size) {
  constexpr std::size_t alignment = 8;
  return (size + alignment - 1) / alignment * alignment;
}

}  // namespace

std::vector<std::byte> framed(std::span<const std::byte> image) {
  const Frame frame{frame_magic, image.size()};
  std::vector<std::byte> bytes(sizeof frame + aligned(image.size()));
  std::memcpy(bytes.data(), &frame, sizeof frame);
  if (!image.empty()) std::memcpy(bytes.data() + sizeof frame, image.data(), image.size());
  return bytes;
}

std::vector<std::span<const std::byte>> images_in(std::span<const std::byte> file) {
  std::vector<std::span<const std::byte>> images;
  const ElfSections sections(file);
  auto rest = sections.content(sections.find(instrumented_section));
  while (rest.size() >= sizeof(Frame)) {
    Frame frame{};
    std::memcpy(&frame, rest.data(), sizeof frame);
    rest = rest.subspan(sizeof frame);
    if (frame.magic != frame_magic || frame.size_bytes > rest.size()) return {};
    images.push_back(rest.first(frame.size_bytes));
    rest = rest.subspan(std::min(aligned(frame.size_bytes), rest.size()));
  }
  return images;
}

}  // namespace orrery
