// Images of a running process: saved while it runs, restored as a process that goes on from there.
//
// Saved by `ImageWriter`, in the process itself; listed and restored by `ImageStore`, in any other
// process of the same machine.  What images hold, and what not: docs/decisions/0029.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <orrery/sim_runtime/memory_range.hpp>

namespace orrery {

/// What an image is of: the beginning of this interval of this rank.
struct ImageLabel {
  std::int32_t rank = 0;
  std::uint64_t interval = 0;
};

/// How much is kept; what is oldest goes first.
struct ImageBudget {
  std::uint64_t bytes = UINT64_MAX;
  std::uint64_t images = UINT64_MAX;
};
/// `500` images, or a size: `64k`, `200M`, `10G` (powers of 1024).  Throws `UsageError`, which
/// names `where`.
[[nodiscard]] ImageBudget image_budget(std::string_view text, const std::string& where);

struct ImageWriterOptions {
  /// Made if it is not there; images of earlier runs in it are removed.
  std::filesystem::path directory;
  ImageBudget budget{};
  /// So many share a file, and with it the pages that did not change: the unit in which they are
  /// dropped.  Fewer where the budget asks for it.
  std::uint32_t group_images = 64;
  /// Finds the pages of memory by reading the table of all pages, as kernels before 6.7 need it.
  bool reads_page_table = false;
};

/// How a call of `ImageWriter::save` has returned.
struct SavedImage {
  enum class Kind : std::uint8_t {
    saved,     ///< this is the process that goes on
    lost,      ///< as `saved`, but there is no image: `ImageWriter::problem` says why
    restored,  ///< this is a process that was restored from the image
  };
  Kind kind = Kind::saved;
  std::uint64_t number = 0;  ///< of the image: they are counted from 0; of one that was saved
  int descriptor = -1;       ///< what a restored process was given to talk to its creator
};

/// Saves images of the process that it is in.  An image has the memory, the stack that the call was
/// made on and all others, registers, signal handlers and the signal mask, and the open files. Only
/// pages that are not in the group's file yet are written, compressed.  An image is complete in the
/// file, or not there at all, whenever the process is killed.
///
/// A restored process has the same memory at the same addresses, and the files that the process had
/// open for reading, at the same offsets.  All other descriptors lead nowhere (/dev/null), so it
/// changes no file of the process that it is an image of; shared memory is its own copy; it has no
/// timers.  It saves no images.
///
///     orrery::ImageWriter writer({.directory = "run.orr.images"});
///     const orrery::SavedImage image = writer.save({.rank = 3, .interval = 17});
///     if (image.kind == orrery::SavedImage::Kind::restored) go_on_alone(image.descriptor);
///
/// For processes with one thread.
class ImageWriter {
 public:
  /// Throws `UsageError`: the directory cannot be written or is in use by another writer, this is
  /// no process whose image could be saved (AddressSanitizer, several threads), or the budget is 0.
  explicit ImageWriter(const ImageWriterOptions& options);
  ~ImageWriter();
  ImageWriter(const ImageWriter&) = delete;
  ImageWriter& operator=(const ImageWriter&) = delete;

  /// Returns twice: once when the image is saved, and in each process that is restored from it.
  /// `left_out` is memory that is not in the image, in any order: a restored process cannot touch
  /// it.  `cleared` is memory that it finds zero.  Throws `UsageError` if there are several
  /// threads by now.  Where nothing can be written any more (the disk is full) all that was saved
  /// stays usable, and nothing more is saved.
  [[gnu::noinline]] SavedImage save(const ImageLabel& label,
                                    std::span<const MemoryRange> left_out = {},
                                    std::span<const MemoryRange> cleared = {});

  /// Why nothing is saved any more; empty as long as it is.
  [[nodiscard]] std::string problem() const;

  struct Statistics {
    std::uint64_t images = 0;
    std::uint64_t dropped = 0;        ///< of them, that are gone
    std::uint64_t bytes = 0;          ///< on disk now
    std::uint64_t bytes_written = 0;  ///< by all images
    std::uint64_t pages_seen = 0;     ///< looked at by all images
    std::uint64_t pages_written = 0;
  };
  [[nodiscard]] Statistics statistics() const;

 private:
  class Implementation;
  void repair_restored_process();

  Implementation* implementation_ = nullptr;  ///< in memory that is in no image
  // What the C library has told the kernel of this thread.
  std::uintptr_t thread_number_place_ = 0;
  void* robust_list_ = nullptr;
  std::size_t robust_list_bytes_ = 0;
};

/// An image that can be restored.
struct ImageInfo {
  std::uint64_t number = 0;
  ImageLabel label;
};

namespace detail {
class PreparedImage;
}
/// An image that was read, and needs its file no more.
struct ReadImage {
  std::uint64_t number = 0;
  std::shared_ptr<const detail::PreparedImage> content;
};

/// The images in a directory, as an `ImageWriter` has left it, or is filling it.
///
///     const orrery::ImageStore store("run.orr.images");
///     const int process = store.restore(store.images().back().number, descriptor);
class ImageStore {
 public:
  /// Throws `UsageError`: no such directory, or not one of images.
  explicit ImageStore(std::filesystem::path directory);

  /// In the order in which they were saved.
  [[nodiscard]] const std::vector<ImageInfo>& images() const { return images_; }
  /// So many, from 0 on, were dropped for those that came later.
  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }
  /// Files that end within an image, or are damaged: what comes before is in `images`.
  [[nodiscard]] const std::vector<std::filesystem::path>& torn() const { return torn_; }

  /// A new process (its number) that goes on where image `number` was saved; `descriptor` is what
  /// it is given to talk to its creator.  Its parent is this process, and it dies with it.
  /// Throws `UsageError`: no such image (dropped, never saved, or torn), a file that it had mapped
  /// has changed, another kernel or processor, no restorer.
  [[nodiscard]] int restore(std::uint64_t number, int descriptor) const {
    return restore(read(number), descriptor);
  }
  /// The same in two parts.  Several threads may read at once; who restores has to stay, for the
  /// new process dies with the thread that has made it.
  [[nodiscard]] ReadImage read(std::uint64_t number) const;
  [[nodiscard]] int restore(const ReadImage& read, int descriptor) const;

  /// Where `orrery-restore` is: in lib/orrery, beside the directory of this command.
  [[nodiscard]] static std::filesystem::path restorer_beside_command();
  void use_restorer(std::filesystem::path restorer) { restorer_ = std::move(restorer); }

 private:
  struct Group {
    std::filesystem::path path;
    std::uint64_t first = 0;  ///< number of its first image
    std::uint64_t images = 0;
  };
  std::filesystem::path directory_;
  std::filesystem::path restorer_;
  std::vector<Group> groups_;
  std::vector<ImageInfo> images_;
  std::uint64_t dropped_ = 0;
  std::vector<std::filesystem::path> torn_;
};

}  // namespace orrery
