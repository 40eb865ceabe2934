#include "compile_archives.hpp"

#include <charconv>
#include <cstring>
#include <map>
#include <string_view>

#include <ar.h>
#include <fmt/format.h>

#include <orrery/program_host/elf_sections.hpp>
#include <orrery/program_host/second_image.hpp>

namespace orrery::cli {
namespace {

constexpr std::string_view thin_magic = "!<thin>\n";
constexpr std::string_view index_name = "/";
constexpr std::string_view wide_index_name = "/SYM64/";
constexpr std::string_view names_name = "//";

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string_view trimmed(std::string_view text) {
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

std::size_t number_in(std::string_view text) {
  std::size_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

bool is_index(std::string_view name) {
  return name == index_name || name == wide_index_name;
}

struct Member {
  std::size_t offset = 0;  ///< of its header
  ar_hdr header{};
  std::string name;  ///< as the header has it
  std::span<const std::byte> content;
};

/// The members of an archive, in order.
class Archive {
 public:
  Archive(std::filesystem::path path, std::span<const std::byte> file)
      : path_(std::move(path)), is_thin_(text_of(file).starts_with(thin_magic)) {
    std::size_t at = SARMAG;
    while (at + sizeof(ar_hdr) <= file.size()) {
      Member member;
      member.offset = at;
      std::memcpy(&member.header, file.data() + at, sizeof(ar_hdr));
      member.name = trimmed({member.header.ar_name, sizeof member.header.ar_name});
      at += sizeof(ar_hdr);
      std::size_t size = number_in({member.header.ar_size, sizeof member.header.ar_size});
      const bool is_elsewhere = is_thin_ && !is_index(member.name) && member.name != names_name;
      if (!is_elsewhere) {
        if (size > file.size() - at) break;  // a damaged one: the linker says so
        member.content = file.subspan(at, size);
        at += size + size % 2;
      }
      if (member.name == names_name) names_ = text_of(member.content);
      members_.push_back(member);
    }
    if (is_thin_) read_files();
  }

  [[nodiscard]] const std::vector<Member>& members() const { return members_; }

  /// As a user knows it.
  [[nodiscard]] std::string name_of(const Member& member) const {
    std::string_view name = member.name;
    if (name.size() > 1 && name.front() == '/') {
      const std::size_t begin = std::min(number_in(name.substr(1)), names_.size());
      name = names_.substr(begin);
      name = name.substr(0, name.find('\n'));
    }
    return std::string(name.substr(0, name.ends_with('/') ? name.size() - 1 : name.size()));
  }

 private:
  void read_files() {
    for (Member& member : members_) {
      if (is_index(member.name) || member.name == names_name) continue;
      files_.push_back(read_bytes(path_.parent_path() / name_of(member)));
      member.content = files_.back();
    }
  }

  std::filesystem::path path_;
  bool is_thin_;
  std::vector<Member> members_;
  std::string_view names_;
  std::vector<Bytes> files_;
};

void append(Bytes& to, const void* bytes, std::size_t size) {
  const auto* const from = static_cast<const std::byte*>(bytes);
  to.insert(to.end(), from, from + size);
}

void append_member(Bytes& archive, ar_hdr header, std::span<const std::byte> content) {
  const std::string size = fmt::format("{:<10}", content.size());
  std::memcpy(header.ar_size, size.data(), sizeof header.ar_size);
  append(archive, &header, sizeof header);
  append(archive, content.data(), content.size());
  if (content.size() % 2 != 0) archive.push_back(std::byte{'\n'});
}

/// Numbers of an index: how many symbols, then the offset of the member of each.
void move_index(Bytes& archive, std::size_t at, std::size_t width,
                const std::map<std::size_t, std::size_t>& moved) {
  const auto number = [&](std::size_t place) {
    std::size_t value = 0;
    for (std::size_t i = 0; i < width; ++i) {
      value = value << 8 | std::to_integer<std::size_t>(archive[place + i]);
    }
    return value;
  };
  const std::size_t count = number(at);
  for (std::size_t i = 1; i <= count && at + (i + 1) * width <= archive.size(); ++i) {
    const auto found = moved.find(number(at + i * width));
    if (found == moved.end()) continue;
    for (std::size_t byte = 0; byte < width; ++byte) {
      archive[at + i * width + byte] =
          static_cast<std::byte>(found->second >> 8 * (width - 1 - byte));
    }
  }
}

}  // namespace

bool is_archive(std::span<const std::byte> file) {
  const std::string_view text = text_of(file);
  return text.starts_with(ARMAG) || text.starts_with(thin_magic);
}

std::optional<SecondArchive> second_archive(const std::filesystem::path& path,
                                            std::span<const std::byte> file) {
  const Archive archive(path, file);
  SecondArchive result;
  append(result.content, ARMAG, SARMAG);
  std::map<std::size_t, std::size_t> moved;
  std::size_t index_at = 0;
  std::size_t index_width = 0;
  bool has_image = false;
  for (const Member& member : archive.members()) {
    moved[member.offset] = result.content.size();
    const auto images = images_in(member.content);
    if (is_index(member.name)) {
      index_at = result.content.size() + sizeof(ar_hdr);
      index_width = member.name == index_name ? 4 : 8;
    } else if (images.empty() && is_elf(member.content)) {
      result.foreign.push_back(archive.name_of(member));
    }
    has_image |= images.size() == 1;
    append_member(result.content, member.header, images.size() == 1 ? images[0] : member.content);
  }
  if (!has_image) return std::nullopt;
  if (index_width != 0) move_index(result.content, index_at, index_width, moved);
  return result;
}

}  // namespace orrery::cli
