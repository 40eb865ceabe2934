#define ZSTD_STATIC_LINKING_ONLY  // for a compressor that allocates nothing
#include "image_files.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <zstd.h>

#include <orrery/network_model/usage_error.hpp>

#include "log/crc32c.hpp"
#include "raw_system_calls.hpp"

namespace orrery::detail {
namespace {

constexpr int compression_level = 1;
constexpr std::size_t problem_bytes_max = 1024;
constexpr int lock_descriptor = 0;
constexpr int group_descriptor = 1;

[[noreturn]] void refuse(const std::filesystem::path& directory, int error) {
  throw UsageError(std::string("checkpoints cannot be kept there: ") + std::strerror(error),
                   directory.string(), "name a directory that you can write, or make room");
}

void remove_old_groups(const std::filesystem::path& directory) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    if (entry.path().filename().string().rfind(image_group_prefix, 0) == 0) {
      std::filesystem::remove(entry.path(), error);
    }
  }
}

int open_lock(const std::filesystem::path& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) refuse(directory, error.value());
  const std::string path = directory / "writer.lock";
  const long file = raw_system_call(SYS_openat, AT_FDCWD, as_argument(path.c_str()),
                                    O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) refuse(directory, static_cast<int>(-file));
  if (raw_system_call(SYS_flock, file, LOCK_EX | LOCK_NB) != 0) {
    raw_system_call(SYS_close, file);
    throw UsageError("another run keeps its checkpoints there", directory.string(),
                     "wait for its end, or record into another file");
  }
  return static_cast<int>(file);
}

char* put_hexadecimal(char* next, std::uint64_t value) {
  for (int shift = 60; shift >= 0; shift -= 4) *next++ = "0123456789abcdef"[value >> shift & 0xfU];
  return next;
}

}  // namespace

ImageFiles::ImageFiles(WorkingMemory& memory, const ImageWriterOptions& options)
    : budget_(options.budget),
      group_images_max_(std::clamp<std::uint64_t>(options.budget.images / 4, 1,
                                                  std::max(options.group_images, 1U))),
      machine_(this_machine()),
      groups_(memory, groups_max),
      path_(memory.take<char>(path_bytes_max)),
      problem_(memory.take<char>(problem_bytes_max)),
      compressed_(memory.take<std::byte>(compressed_bytes_max)) {
  if (budget_.bytes == 0 || budget_.images == 0) {
    throw UsageError("no checkpoint fits into nothing", "--keep-checkpoints",
                     "keep at least 1, or do not ask for checkpoints");
  }
  const std::size_t compressor_bytes = ZSTD_estimateCCtxSize(compression_level);
  compressor_ = ZSTD_initStaticCCtx(memory.take_bytes(compressor_bytes), compressor_bytes);
  ensure(compressor_ != nullptr, "zstd takes the memory that it asked for");
  const std::string directory = std::filesystem::absolute(options.directory).string() + "/";
  if (directory.size() + 64 > path_bytes_max) refuse(options.directory, ENAMETOOLONG);
  directory_bytes_ = directory.copy(path_, directory.size());
  descriptors_[lock_descriptor] = open_lock(options.directory);
  remove_old_groups(options.directory);
}

ImageFiles::~ImageFiles() {
  for (const int descriptor : descriptors_) {
    if (descriptor >= 0) raw_system_call(SYS_close, descriptor);
  }
}

const char* ImageFiles::path_of(const Group& group) {
  char* next = path_ + directory_bytes_;
  next = std::copy_n(image_group_prefix, std::strlen(image_group_prefix), next);
  next = put_hexadecimal(next, group.number);
  *next++ = '-';
  next = put_hexadecimal(next, group.first_image);
  *next = '\0';
  return path_;
}

void ImageFiles::give_up(const char* reason, long error) {
  if (*problem_ != '\0') return;
  std::string_view text = "no checkpoints from here on: ";
  char* next = std::copy(text.begin(), text.end(), problem_);
  next = std::copy_n(reason, std::strlen(reason), next);
  if (error < 0) {
    *next++ = ':';
    *next++ = ' ';
    const char* words = strerrordesc_np(static_cast<int>(-error));
    if (words == nullptr) words = "unknown error";
    next = std::copy_n(words, std::strlen(words), next);
  }
  *next = '\0';
  if (descriptors_[group_descriptor] < 0) return;
  // What was complete stays; the rest would be a torn tail.
  raw_system_call(SYS_ftruncate, descriptors_[group_descriptor], static_cast<long>(image_begin_));
  raw_system_call(SYS_close, descriptors_[group_descriptor]);
  descriptors_[group_descriptor] = -1;
  if (groups_.back().images == 0) {
    raw_system_call(SYS_unlinkat, AT_FDCWD, as_argument(path_of(groups_.back())), 0);
  }
}

bool ImageFiles::write(std::span<const std::byte> first, std::span<const std::byte> second) {
  const iovec parts[2] = {{const_cast<std::byte*>(first.data()), first.size()},
                          {const_cast<std::byte*>(second.data()), second.size()}};
  const auto wanted = static_cast<long>(first.size() + second.size());
  const long written =
      raw_system_call(SYS_writev, descriptors_[group_descriptor], as_argument(parts), 2);
  if (written != wanted) {
    give_up(path_of(groups_.back()), written < 0 ? written : -ENOSPC);
    return false;
  }
  groups_.back().bytes += static_cast<std::uint64_t>(wanted);
  return true;
}

bool ImageFiles::is_full(const Group& group) const {
  if (group.images >= group_images_max_) return true;
  // One group is written while others are kept: a quarter of the budget each, or half of it where a
  // first image is so large that there would be little besides.
  const bool is_large = group.bytes_of_first > budget_.bytes / 8;
  return group.bytes >= budget_.bytes / (is_large ? 2 : 4);
}

bool ImageFiles::open_group() {
  if (descriptors_[group_descriptor] >= 0) {
    raw_system_call(SYS_close, descriptors_[group_descriptor]);
  }
  const std::uint64_t number = groups_.empty() ? 0 : groups_.back().number + 1;
  if (groups_.room_left() == 0) drop_oldest();
  groups_.push_back({number, images_, 0, 0, 0});
  image_begin_ = 0;
  const long file = raw_system_call(SYS_openat, AT_FDCWD, as_argument(path_of(groups_.back())),
                                    O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  descriptors_[group_descriptor] = static_cast<int>(std::max(file, -1L));
  if (file < 0) {
    give_up(path_of(groups_.back()), file);
    return false;
  }
  const GroupHeader header{GroupHeader::magic_number, number, images_, machine_};
  return write(std::as_bytes(std::span(&header, 1)), {});
}

ImageFiles::Place ImageFiles::begin_image() {
  if (*problem_ != '\0') return Place::nowhere;
  const bool is_new = groups_.empty() || is_full(groups_.back());
  if (is_new && !open_group()) return Place::nowhere;
  image_begin_ = is_new ? 0 : groups_.back().bytes;
  return is_new ? Place::new_group : Place::old_group;
}

std::optional<std::uint64_t> ImageFiles::append(RecordKind kind,
                                                std::span<const std::byte> content) {
  const std::size_t room = std::min(ZSTD_compressBound(content.size()), compressed_bytes_max);
  const std::size_t bytes =
      ZSTD_compressCCtx(static_cast<ZSTD_CCtx*>(compressor_), compressed_, room, content.data(),
                        content.size(), compression_level);
  const bool is_smaller = ZSTD_isError(bytes) == 0 && bytes < content.size();
  const std::span<const std::byte> stored = is_smaller ? std::span(compressed_, bytes) : content;
  RecordHeader header{RecordHeader::magic_number,
                      kind,
                      static_cast<std::uint32_t>(stored.size()),
                      static_cast<std::uint32_t>(content.size()),
                      0,
                      0};
  header.checksum = crc32c(stored, crc32c(std::as_bytes(std::span(&header, 1))));
  const std::uint64_t begin = groups_.back().bytes;
  if (!write(std::as_bytes(std::span(&header, 1)), stored)) return std::nullopt;
  return begin;
}

void ImageFiles::drop_oldest() {
  const Group& oldest = groups_[0];
  raw_system_call(SYS_unlinkat, AT_FDCWD, as_argument(path_of(oldest)), 0);
  kept_images_ -= oldest.images;
  kept_bytes_ -= oldest.bytes;
  groups_.erase_first();
}

void ImageFiles::finish_image() {
  Group& group = groups_.back();
  if (group.images++ == 0) group.bytes_of_first = group.bytes;
  ++images_;
  ++kept_images_;
  kept_bytes_ += group.bytes - image_begin_;
  written_bytes_ += group.bytes - image_begin_;
  while (groups_.size() > 1 && (kept_bytes_ > budget_.bytes || kept_images_ > budget_.images)) {
    drop_oldest();
  }
}

}  // namespace orrery::detail
