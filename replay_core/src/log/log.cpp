// The format of logs, written and read: keep the two halves in step, and docs/log-format.md too.
#include "log.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <orrery/network_model/usage_error.hpp>
#include <orrery/replay_core/write_all.hpp>

#include "byte_cursor.hpp"
#include "compression.hpp"
#include "crc32c.hpp"
#include "whole_file.hpp"

namespace orrery {
namespace {

using detail::ByteReader;
using detail::ByteWriter;

// A byte above 127, a line end of either kind and an end-of-file mark show up a file that went
// through a tool for text; the name is for people who look at the bytes.
constexpr std::array<std::uint8_t, 8> magic = {0x8f, 'O', 'R', 'R', '\r', '\n', 0x1a, '\n'};
constexpr std::size_t header_bytes = 16;        // magic, version, two zeros, checksum
constexpr std::size_t block_header_bytes = 14;  // kind, flags, two sizes, checksum

constexpr std::uint8_t flag_optional = 1;
constexpr std::uint8_t flag_compressed = 2;

/// Of a log without its end.
constexpr std::string_view partial_advice =
    "orrery replay --partial replays what is there, and with --record FILE makes a whole log of it";

ByteWriter file_header() {
  ByteWriter out;
  for (const std::uint8_t byte : magic) out.u8(byte);
  out.u16(log_version);
  out.u16(0);
  out.u32(detail::crc32c(out.written()));
  return out;
}

std::uint8_t flags_of(BlockNeed need) {
  return need == BlockNeed::optional ? flag_optional : 0;
}

}  // namespace

std::string_view name(BlockKind kind) {
  switch (kind) {
    case BlockKind::program: return "program";
    case BlockKind::run: return "run";
    case BlockKind::findings: return "findings";
    case BlockKind::choices: return "choices";
    case BlockKind::inputs: return "inputs";
    case BlockKind::open_calls: return "open_calls";
    case BlockKind::method: return "method";
    case BlockKind::traced_messages: return "traced_messages";
    case BlockKind::answers: return "answers";
    case BlockKind::remote_calls: return "remote_calls";
    case BlockKind::clock_reads: return "clock_reads";
    case BlockKind::real_run: return "real_run";
    case BlockKind::interval: return "interval";
    case BlockKind::logged_messages: return "logged_messages";
    case BlockKind::lamport_stamps: return "lamport_stamps";
    case BlockKind::history_tapes: return "history_tapes";
    case BlockKind::shared_accesses: return "shared_accesses";
    case BlockKind::thread_stamps: return "thread_stamps";
    case BlockKind::limit: return "limit";
    case BlockKind::end: return "end";
  }
  return {};
}

// --- writing ----------------------------------------------------------------------------------

LogWriter::LogWriter(std::string path, const ProgramInfo& program)
    : path_(std::move(path)), part_path_(path_ + ".part") {
  check_can_be_replaced(path_, path_);
  file_ = ::open(part_path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file_ < 0) fail("the log cannot be created", errno);
  try {
    const ByteWriter header = file_header();
    write(header.written());
    checksum_ = detail::crc32c(header.written());
    append(BlockKind::program, encode_program(program));
  } catch (const UsageError&) {
    discard();  // nothing that could be read
    throw;
  }
}

LogWriter::~LogWriter() {
  if (file_ >= 0) ::close(file_);
}

void LogWriter::fail(std::string_view what, int error) const {
  throw UsageError(fmt::format("{}: {}", what, std::generic_category().message(error)), part_path_,
                   error == ENOSPC || error == EDQUOT || error == EFBIG
                       ? "make room, or write it somewhere else; an older file is as it was"
                       : "can this path be written?");
}

void LogWriter::write(std::span<const std::byte> bytes) {
  if (!write_all(file_, bytes)) {
    const int error = errno;
    // Half a block is of no use; without it the disk may have room for somebody else.
    static_cast<void>(::ftruncate(file_, static_cast<off_t>(offset_)) == 0);
    fail("the log cannot be written", error);
  }
  offset_ += bytes.size();
}

void LogWriter::append(BlockKind kind, std::span<const std::byte> content, BlockNeed need) {
  detail::ensure(kind != BlockKind::end, "only `finish` writes the end of a log");
  append_any(static_cast<std::uint8_t>(kind), flags_of(need), content);
}

void LogWriter::append_any(std::uint8_t kind, std::uint8_t flags,
                           std::span<const std::byte> content) {
  detail::ensure(file_ >= 0, "nothing is appended to a log that is finished");
  detail::ensure(content.size() <= log_block_bytes_max, "a block of a log is not too large",
                 static_cast<long long>(content.size()));
  const detail::Bytes packed = detail::compressed(content);
  const bool is_packed = packed.size() < content.size();
  const std::span<const std::byte> stored = is_packed ? packed : content;

  ByteWriter out;
  out.u8(kind);
  out.u8(is_packed ? flags | flag_compressed : flags);
  out.u32(static_cast<std::uint32_t>(stored.size()));
  out.u32(static_cast<std::uint32_t>(content.size()));
  checksum_ = detail::crc32c(stored, detail::crc32c(out.written(), checksum_));
  out.u32(checksum_);
  out.bytes(stored);
  write(out.written());
  ++blocks_;
}

void LogWriter::finish() {
  ByteWriter end;
  end.u32(blocks_);
  append_any(static_cast<std::uint8_t>(BlockKind::end), 0, end.written());
  if (::fsync(file_) != 0) fail("the log cannot be written", errno);
  if (::close(std::exchange(file_, -1)) != 0) fail("the log cannot be written", errno);
  if (::rename(part_path_.c_str(), path_.c_str()) != 0) {
    fail("the log cannot get its name", errno);
  }
}

void LogWriter::discard() {
  if (file_ >= 0) ::close(std::exchange(file_, -1));
  ::unlink(part_path_.c_str());
}

// --- reading ----------------------------------------------------------------------------------

namespace {

/// What is wrong with a file, at which byte.
struct Damage {
  std::string what;
  std::uint64_t offset = 0;
  std::string hint;
};

/// Goes from block to block.  All checks of the container are here.
class BlockReader {
 public:
  BlockReader(std::span<const std::byte> bytes, const std::string& path)
      : bytes_(bytes), path_(path) {}

  std::uint16_t read_header();
  /// The next block; throws `Damage`.
  LogBlock next();
  [[nodiscard]] bool at_end() const { return offset_ == bytes_.size(); }
  [[nodiscard]] std::uint64_t offset() const { return offset_; }
  [[noreturn]] void fail(const Damage& damage) const {
    throw UsageError(damage.what, fmt::format("{}, byte {}", path_, damage.offset), damage.hint);
  }

 private:
  static Damage damaged(std::uint64_t offset, std::string what) {
    return {std::move(what), offset, "the file was damaged: get an undamaged copy"};
  }
  void check_kind(std::uint8_t kind, std::uint8_t flags, std::uint64_t offset) const;
  void check_end(const LogBlock& block) const;

  std::span<const std::byte> bytes_;
  const std::string& path_;
  std::uint64_t offset_ = 0;
  std::uint32_t checksum_ = 0;
  std::uint32_t blocks_ = 0;
};

std::uint16_t BlockReader::read_header() {
  const auto equal_bytes = static_cast<std::size_t>(
      std::mismatch(bytes_.begin(), bytes_.begin() + std::min(bytes_.size(), magic.size()),
                    std::as_bytes(std::span(magic)).begin())
          .first -
      bytes_.begin());
  if (bytes_.empty()) fail({"the file is empty", 0, "an Orrery log was expected"});
  if (equal_bytes < std::min(bytes_.size(), magic.size())) {
    fail({"this is not an Orrery log", equal_bytes,
          "logs are made by orrery record, explore -o and run --record"});
  }
  if (bytes_.size() < header_bytes) {
    fail({"the log ends within its header", bytes_.size(), "the file was cut: get a whole copy"});
  }
  ByteReader in(bytes_.subspan(magic.size()), path_);
  const std::uint16_t version = in.u16();
  const std::uint16_t zeros = in.u16();
  if (in.u32() != detail::crc32c(bytes_.first(header_bytes - 4))) {
    fail(damaged(magic.size(), "the header's checksum does not fit"));
  }
  if (version != log_version) {
    fail({fmt::format("the log is of version {}; this program reads version {}", version,
                      log_version),
          magic.size(),
          version > log_version ? "use a newer Orrery"
                                : "record it again, or use the Orrery that wrote it"});
  }
  if (zeros != 0) fail(damaged(magic.size() + 2, "the header is not well formed"));
  offset_ = header_bytes;
  checksum_ = detail::crc32c(bytes_.first(header_bytes));
  return version;
}

LogBlock BlockReader::next() {
  const auto rest = bytes_.subspan(static_cast<std::size_t>(offset_));
  const Damage cut{"the log ends within a block", bytes_.size(),
                   "it was cut, or its recorder died: " + std::string(partial_advice)};
  if (rest.size() < block_header_bytes) throw cut;
  ByteReader in(rest, path_);
  LogBlock block;
  block.offset = offset_;
  const std::uint8_t kind = in.u8();
  const std::uint8_t flags = in.u8();
  const std::uint32_t stored_bytes = in.u32();
  const std::uint32_t content_bytes = in.u32();
  const std::uint32_t checksum = in.u32();
  if (stored_bytes > rest.size() - block_header_bytes) throw cut;
  const auto stored = rest.subspan(block_header_bytes, stored_bytes);
  const std::uint32_t start = detail::crc32c(rest.first(block_header_bytes - 4), checksum_);
  if (detail::crc32c(stored, start) != checksum) {
    throw damaged(offset_, "the checksum of a block does not fit");
  }
  check_kind(kind, flags, offset_);
  if (content_bytes > log_block_bytes_max) throw damaged(offset_, "a block is too large");

  block.kind = static_cast<BlockKind>(kind);
  block.need = (flags & flag_optional) != 0 ? BlockNeed::optional : BlockNeed::required;
  if ((flags & flag_compressed) != 0) {
    auto content = detail::decompressed(stored, content_bytes);
    if (!content) throw damaged(offset_, "the content of a block cannot be unpacked");
    block.content = *std::move(content);
  } else {
    if (stored_bytes != content_bytes) throw damaged(offset_, "the sizes of a block do not fit");
    block.content.assign(stored.begin(), stored.end());
  }
  checksum_ = checksum;
  offset_ += block_header_bytes + stored_bytes;
  if (block.kind == BlockKind::end) check_end(block);
  ++blocks_;
  return block;
}

void BlockReader::check_kind(std::uint8_t kind, std::uint8_t flags, std::uint64_t offset) const {
  const bool is_known = !name(static_cast<BlockKind>(kind)).empty();
  const bool is_first = blocks_ == 0;
  if ((flags & ~(flag_optional | flag_compressed)) != 0) {
    fail({fmt::format("a block with unknown flags ({})", flags), offset, "use a newer Orrery"});
  }
  if (!is_known && (flags & flag_optional) == 0) {
    fail({fmt::format("a block of kind {}, which this program does not know", kind), offset,
          "use a newer Orrery"});
  }
  const bool is_program = static_cast<BlockKind>(kind) == BlockKind::program;
  if (is_first != is_program) {
    throw damaged(offset, is_first ? "the log does not begin with its program"
                                   : "a second block of kind program");
  }
}

void BlockReader::check_end(const LogBlock& block) const {
  ByteReader in(block.content, path_);
  if (block.content.size() != 4 || in.u32() != blocks_) {
    throw damaged(block.offset, "the end of the log does not fit the rest");
  }
  if (!at_end()) throw damaged(offset_, "something follows the end of the log");
}

}  // namespace

std::string Log::where(const LogBlock& block) const {
  return fmt::format("{}, block {} at byte {}", path, name(block.kind), block.offset);
}

Log read_log(std::span<const std::byte> bytes, const std::string& path, LogExtent extent) {
  Log log;
  log.path = path;
  BlockReader reader(bytes, path);
  log.version = reader.read_header();
  bool has_program = false;
  try {
    while (true) {
      if (reader.at_end()) {
        throw Damage{"the log has no end", reader.offset(),
                     "its recorder died: " + std::string(partial_advice)};
      }
      LogBlock block = reader.next();
      if (block.kind == BlockKind::end) return log;
      if (block.kind == BlockKind::program) {
        log.program = decode_program(block.content, log.where(block));
        has_program = true;
      } else if (!name(block.kind).empty()) {
        log.blocks.push_back(std::move(block));
      }
    }
  } catch (const Damage& damage) {
    if (extent == LogExtent::whole) reader.fail(damage);
    if (!has_program) reader.fail({damage.what, damage.offset, "too little of it is left"});
    log.is_whole = false;
    log.why_cut = fmt::format("{}, byte {}: {}", path, damage.offset, damage.what);
  }
  return log;
}

Log read_log(const std::string& path, LogExtent extent) {
  return read_log(detail::read_whole_file(path), path, extent);
}

}  // namespace orrery
