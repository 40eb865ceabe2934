#include "image_group.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>
#include <string>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <orrery/network_model/usage_error.hpp>

#include "log/crc32c.hpp"

namespace orrery::detail {
namespace {

constexpr const char* torn_advice =
    "the file was changed, or cut; take another checkpoint: earlier ones may be whole";

/// Takes structures off the beginning of a record.
class RecordReader {
 public:
  explicit RecordReader(std::span<const std::byte> bytes) : bytes_(bytes) {}
  template <typename T>
  bool take(std::vector<T>& into, std::uint64_t count) {
    if (count > bytes_.size() / sizeof(T)) return false;
    into.resize(count);
    std::memcpy(into.data(), bytes_.data(), count * sizeof(T));
    bytes_ = bytes_.subspan(count * sizeof(T));
    return true;
  }
  template <typename T>
  bool take(T& into) {
    if (sizeof into > bytes_.size()) return false;
    std::memcpy(&into, bytes_.data(), sizeof into);
    bytes_ = bytes_.subspan(sizeof into);
    return true;
  }
  [[nodiscard]] bool is_at_end() const { return bytes_.empty(); }

 private:
  std::span<const std::byte> bytes_;
};

bool is_before(const MemoryRange& a, const MemoryRange& b) {
  return a.begin < b.begin;
}

}  // namespace

ImageGroup::ImageGroup(std::filesystem::path path) : path_(std::move(path)) {
  file_ = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status {};
  if (file_ < 0 || fstat(file_, &status) != 0) {
    throw UsageError(std::strerror(errno), path_.string(), "the checkpoint may have been dropped");
  }
  bytes_ = static_cast<std::uint64_t>(status.st_size);
  try {
    if (!read_at(0, &header_, sizeof header_)) {
      is_torn_ = true;
    } else if (header_.magic != GroupHeader::magic_number) {
      refuse(0, "no checkpoints, or those of another version of orrery");
    } else {
      scan();
    }
  } catch (...) {
    close(file_);
    throw;
  }
}

ImageGroup::~ImageGroup() {
  close(file_);
}

void ImageGroup::refuse(std::uint64_t offset, const char* what) const {
  throw UsageError(what, fmt::format("{}, offset {}", path_.string(), offset), torn_advice);
}

bool ImageGroup::read_at(std::uint64_t offset, void* into, std::size_t bytes) const {
  auto* next = static_cast<std::byte*>(into);
  while (bytes > 0) {
    const ssize_t count = pread(file_, next, bytes, static_cast<off_t>(offset));
    if (count <= 0) return false;
    next += count;
    offset += static_cast<std::uint64_t>(count);
    bytes -= static_cast<std::size_t>(count);
  }
  return true;
}

void ImageGroup::scan() {
  std::size_t complete_records = 0;
  std::uint64_t complete_bytes = sizeof header_;
  for (std::uint64_t offset = sizeof header_;;) {
    Record record{offset, {}};
    if (!read_at(offset, &record.header, sizeof record.header)) break;
    const std::uint64_t end = offset + sizeof record.header + record.header.stored_bytes;
    if (record.header.magic != RecordHeader::magic_number || end > bytes_) break;
    records_.push_back(record);
    offset = end;
    if (record.header.kind != RecordKind::image) continue;
    ImageHeader image{};
    std::vector<std::byte> bytes;
    try {
      bytes = content(record);
    } catch (const UsageError&) {
      break;
    }
    if (!RecordReader(bytes).take(image)) break;
    if (image.number != header_.first_image + images_.size()) break;
    images_.push_back(image);
    image_records_.push_back(records_.size() - 1);
    complete_records = records_.size();
    complete_bytes = end;
  }
  is_torn_ = complete_bytes != bytes_;
  records_.resize(complete_records);
}

std::size_t ImageGroup::content_into(const Record& record, std::byte* into) const {
  const RecordHeader& header = record.header;
  std::vector<std::byte> stored(header.stored_bytes);
  if (!read_at(record.offset + sizeof header, stored.data(), stored.size())) {
    refuse(record.offset, "a checkpoint is cut");
  }
  RecordHeader summed = header;
  summed.checksum = 0;
  if (crc32c(stored, crc32c(std::as_bytes(std::span(&summed, 1)))) != header.checksum) {
    refuse(record.offset, "a checkpoint is damaged");
  }
  if (header.stored_bytes == header.content_bytes) {
    std::memcpy(into, stored.data(), stored.size());
    return stored.size();
  }
  const std::size_t bytes =
      ZSTD_decompress(into, header.content_bytes, stored.data(), stored.size());
  if (ZSTD_isError(bytes) != 0 || bytes != header.content_bytes) {
    refuse(record.offset, "a checkpoint cannot be decompressed");
  }
  return bytes;
}

std::vector<std::byte> ImageGroup::content(const Record& record) const {
  constexpr std::uint32_t content_bytes_max = std::uint32_t{256} << 20U;
  if (record.header.content_bytes > content_bytes_max) {
    refuse(record.offset, "a checkpoint is damaged");
  }
  std::vector<std::byte> bytes(record.header.content_bytes);
  content_into(record, bytes.data());
  return bytes;
}

const ImageGroup::Record& ImageGroup::record_at(std::uint64_t offset, RecordKind kind) const {
  const auto found =
      std::lower_bound(records_.begin(), records_.end(), offset,
                       [](const Record& record, std::uint64_t at) { return record.offset < at; });
  if (found == records_.end() || found->offset != offset || found->header.kind != kind) {
    refuse(offset, "a checkpoint refers to what is not there");
  }
  return *found;
}

std::size_t ImageGroup::read_batch(std::uint64_t offset, std::byte* into) const {
  const Record& record = record_at(offset, RecordKind::batch);
  if (record.header.content_bytes > batch_pages * image_page_bytes) {
    refuse(offset, "a checkpoint is damaged");
  }
  return content_into(record, into) / image_page_bytes;
}

LoadedImage ImageGroup::load(std::size_t image) const {
  LoadedImage result;
  const Record& record = records_[image_records_[image]];
  const std::vector<std::byte> own = content(record);
  RecordReader reader(own);
  bool is_good = reader.take(result.header) &&
                 reader.take(result.left_out, result.header.left_out) &&
                 reader.take(result.cleared, result.header.cleared);
  const std::vector<std::byte> around =
      content(record_at(result.header.surroundings_offset, RecordKind::surroundings));
  RecordReader surroundings(around);
  SurroundingsHeader counts{};
  is_good = is_good && surroundings.take(counts) &&
            surroundings.take(result.mappings, counts.mappings) &&
            surroundings.take(result.files, counts.files) &&
            surroundings.take(result.descriptors, counts.descriptors) &&
            surroundings.take(result.text, counts.text_bytes) && surroundings.is_at_end();
  if (!is_good) refuse(record.offset, "a checkpoint is damaged");
  std::sort(result.left_out.begin(), result.left_out.end(), is_before);
  std::sort(result.cleared.begin(), result.cleared.end(), is_before);
  return result;
}

std::vector<StoredPage> ImageGroup::pages(std::size_t image) const {
  struct Change {
    std::uint64_t page;
    std::uint64_t batch;
    std::uint32_t index;
    std::uint32_t image;
  };
  constexpr std::uint64_t untouched = StoredPage::zero - 1;
  constexpr std::uint64_t patched = StoredPage::zero - 2;
  std::vector<Change> changes;
  for (std::size_t i = 0; i <= image; ++i) {
    const Record& record = records_[image_records_[i]];
    const std::vector<std::byte> own = content(record);
    RecordReader reader(own);
    ImageHeader header{};
    std::vector<MemoryRange> ranges;
    std::vector<PageRun> runs;
    if (!reader.take(header) || !reader.take(ranges, header.left_out) ||
        !reader.take(ranges, header.cleared) || !reader.take(runs, header.runs)) {
      refuse(record.offset, "a checkpoint is damaged");
    }
    std::uint64_t stored = 0;
    const Record* batch = nullptr;
    for (const PageRun& run : runs) {
      for (std::uint32_t n = 0; n < run.pages; ++n) {
        Change change{run.first_page + n, untouched, 0, static_cast<std::uint32_t>(i)};
        if (run.content == PageRun::Content::zero) change.batch = StoredPage::zero;
        if (run.content == PageRun::Content::patched) change.batch = patched;
        if (run.content == PageRun::Content::stored) {
          if (stored == 0) {
            batch = &record_at(header.batches_offset, RecordKind::batch);
          } else if (stored % batch_pages == 0) {
            // An image's batches and patches follow each other, and its own record follows them.
            do ++batch;
            while (batch->header.kind == RecordKind::patches);
            if (batch->header.kind != RecordKind::batch) {
              refuse(record.offset, "a checkpoint refers to what is not there");
            }
          }
          change.batch = batch->offset;
          change.index = static_cast<std::uint32_t>(stored++ % batch_pages);
        }
        changes.push_back(change);
      }
    }
  }
  std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) {
    return a.page != b.page ? a.page < b.page : a.image < b.image;
  });
  std::vector<StoredPage> result;
  const Change* stored = nullptr;  // the latest whole one of the page
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const Change& change = changes[i];
    if (i == 0 || changes[i - 1].page != change.page) stored = nullptr;
    if (change.batch < patched) stored = &change;
    const bool is_last = i + 1 == changes.size() || changes[i + 1].page != change.page;
    if (!is_last || change.batch == untouched) continue;
    if (change.batch != patched) {
      result.push_back({change.page, change.batch, change.index, StoredPage::by_none});
    } else if (stored != nullptr) {
      result.push_back({change.page, stored->batch, stored->index, change.image});
    } else {
      refuse(records_[image_records_[change.image]].offset, "a checkpoint is damaged");
    }
  }
  return result;
}

std::vector<PagePatch> ImageGroup::patches(std::size_t image) const {
  std::vector<PagePatch> result;
  const std::size_t end = image_records_[image];
  for (std::size_t i = image == 0 ? 0 : image_records_[image - 1]; i < end; ++i) {
    if (records_[i].header.kind != RecordKind::patches) continue;
    if (!read_patches(content(records_[i]), result)) {
      refuse(records_[i].offset, "a checkpoint is damaged");
    }
  }
  return result;
}

}  // namespace orrery::detail
