// The files of images: one a group, appended to, records one after the other.
//
// A group's file is `group-NUMBER-FIRST`, both hexadecimal with 16 digits, FIRST being the number
// of its first image.  It begins with `GroupHeader`; records follow, each a `RecordHeader` and its
// bytes.  An image is: batches of pages and patches, the surroundings if they are not those of an
// earlier image of the group, and a record `image`, which completes it.  What follows the last
// complete image is a torn tail.
#pragma once

#include <cstddef>
#include <cstdint>

#include "restore_plan.hpp"

namespace orrery::detail {

inline constexpr std::size_t image_page_bytes = 4096;
inline constexpr std::size_t batch_pages = 64;
inline constexpr const char* image_group_prefix = "group-";

/// What must be the same where an image is restored.
struct MachineIdentity {
  char kernel[128];           ///< its release and version
  std::uint64_t kernel_code;  ///< hash of the code that it maps into processes
  std::uint64_t processor;    ///< hash of what the processor can do
  friend bool operator==(const MachineIdentity&, const MachineIdentity&) = default;
};
/// Of this machine, now.
[[nodiscard]] MachineIdentity this_machine();

struct GroupHeader {
  static constexpr std::uint64_t magic_number = 0x3267'6d49'7272'724fU;  // "OrrrImg2"
  std::uint64_t magic;
  std::uint64_t group;
  std::uint64_t first_image;
  MachineIdentity machine;
};

enum class RecordKind : std::uint32_t { batch = 1, surroundings = 2, image = 3, patches = 4 };

struct RecordHeader {
  static constexpr std::uint32_t magic_number = 0x6365'724fU;
  std::uint32_t magic;
  RecordKind kind;
  std::uint32_t stored_bytes;  ///< that follow; as many as the content has: it is not compressed
  std::uint32_t content_bytes;
  std::uint32_t checksum;  ///< of the header with 0 here, and what follows
  std::uint32_t unused;
};

// --- surroundings: header, mappings, files, descriptors, text
// --------------------------------------

enum class MappingKind : std::uint32_t {
  memory,        ///< private, begins as zero
  stack,         ///< the same, and grows downwards
  file,          ///< a file's, private; only pages that were changed are in images
  kept,          ///< all that it holds is in images: shared memory, files that are no more
  kernel_range,  ///< the kernel's own
};

struct MappingRecord {
  std::uint64_t begin;
  std::uint64_t end;
  std::uint64_t offset;  ///< in the file
  std::uint32_t protection;
  MappingKind kind;
  std::uint64_t file;  ///< index
};

struct FileRecord {
  std::uint64_t bytes;
  std::int64_t modified_ns;
  std::uint32_t path_offset;  ///< in the text
  std::uint32_t path_bytes;
};

struct DescriptorRecord {
  std::int32_t number;
  std::uint32_t flags;  ///< as `open` takes them
  std::int64_t offset;
  std::uint32_t path_offset;
  std::uint32_t path_bytes;
};

struct SurroundingsHeader {
  std::uint32_t mappings;
  std::uint32_t files;
  std::uint32_t descriptors;
  std::uint32_t text_bytes;
};

// --- images: header, left-out ranges, cleared ranges, runs
// ------------------------------------------

/// As the kernel's call has it.
struct KernelSignalAction {
  std::uint64_t handler;
  std::uint64_t flags;
  std::uint64_t restorer;
  std::uint64_t mask;
};
struct KernelSignalStack {
  std::uint64_t place;
  std::int32_t flags;
  std::uint32_t unused;
  std::uint64_t bytes;
};
inline constexpr int signals = 64;

/// Pages in a row, and what they hold from this image of the group on.
struct PageRun {
  enum class Content : std::uint32_t {
    stored,     ///< the next pages of this image's batches
    zero,       ///< although they are a file's
    untouched,  ///< as the mapping begins
    patched,    ///< as it was last stored, with a patch of this image
  };
  std::uint64_t first_page;
  std::uint32_t pages;
  Content content;
};

struct ImageHeader {
  std::uint64_t number;
  std::int32_t rank;
  std::uint32_t unused;
  std::uint64_t interval;
  std::uint64_t surroundings_offset;  ///< in the file, of the record
  std::uint64_t batches_offset;       ///< of the first batch
  SavedRegisters registers;
  std::uint64_t thread_base;  ///< what fs holds
  std::uint64_t signal_mask;
  KernelSignalStack signal_stack;
  KernelSignalAction signal_actions[signals];
  std::uint64_t left_out;
  std::uint64_t cleared;
  std::uint64_t runs;
};

}  // namespace orrery::detail
