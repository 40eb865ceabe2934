#include "interval_wire.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "log/byte_cursor.hpp"

namespace orrery::detail {
namespace {

constexpr std::string_view where = "the process of an interval";

struct Header {
  FrameKind kind;
  std::uint32_t unused;
  std::uint64_t bytes;
};

[[noreturn]] void fail_for_errno(const char* what) {
  throw UsageError(std::string(what) + ": " + std::strerror(errno), std::string(where),
                   "see whether something kills processes here");
}

/// All parts, one after the other.
void write_all(int descriptor, std::span<iovec> parts) {
  while (!parts.empty()) {
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = parts.size();
    const ssize_t count = sendmsg(descriptor, &message, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) fail_for_errno("the other end cannot be told anything");
    auto written = static_cast<std::size_t>(count);
    while (!parts.empty() && written >= parts.front().iov_len) {
      written -= parts.front().iov_len;
      parts = parts.subspan(1);
    }
    if (parts.empty()) return;
    parts.front().iov_base = static_cast<std::byte*>(parts.front().iov_base) + written;
    parts.front().iov_len -= written;
  }
}

/// Gives how much there was before the other end has closed.
std::size_t read_all(int descriptor, void* data, std::size_t size) {
  auto* next = static_cast<std::byte*>(data);
  std::size_t left = size;
  while (left > 0) {
    const ssize_t count = read(descriptor, next, left);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno != ECONNRESET) fail_for_errno("the other end cannot be heard");
    if (count <= 0) break;
    next += count;
    left -= static_cast<std::size_t>(count);
  }
  return size - left;
}

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::vector<std::byte> next_bytes(ByteReader& in) {
  const std::span<const std::byte> bytes = in.part();
  return {bytes.begin(), bytes.end()};
}

void put(ByteWriter& out, OperationId id) {
  out.u32(id.task.value);
  out.u32(id.number);
}

OperationId operation(ByteReader& in) {
  OperationId id;
  id.task.value = in.u32();
  id.number = in.u32();
  return id;
}

}  // namespace

void write_frame(int descriptor, FrameKind kind, std::span<const std::byte> content) {
  Header header{kind, 0, content.size()};
  iovec parts[] = {{&header, sizeof header},
                   {const_cast<std::byte*>(content.data()), content.size()}};
  write_all(descriptor, std::span(parts).first(content.empty() ? 1 : 2));
}

std::optional<Frame> read_frame(int descriptor) {
  Header header{};
  if (read_all(descriptor, &header, sizeof header) < sizeof header) return std::nullopt;
  Frame frame{header.kind, std::vector<std::byte>(header.bytes)};
  if (read_all(descriptor, frame.content.data(), header.bytes) < header.bytes) return std::nullopt;
  return frame;
}

bool FrameReader::has_next() const {
  Header header{};
  const std::span<const std::byte> left = std::span(heard_).subspan(begin_);
  if (left.size() < sizeof header) return false;
  std::memcpy(&header, left.data(), sizeof header);
  return left.size() - sizeof header >= header.bytes;
}

std::optional<Frame> FrameReader::next(int descriptor) {
  constexpr std::size_t part_bytes = std::size_t{64} << 10U;
  while (!has_next()) {
    heard_.erase(heard_.begin(), heard_.begin() + static_cast<std::ptrdiff_t>(begin_));
    begin_ = 0;
    const std::size_t before = heard_.size();
    heard_.resize(before + part_bytes);
    ssize_t count = 0;
    do count = read(descriptor, heard_.data() + before, part_bytes);
    while (count < 0 && errno == EINTR);
    heard_.resize(before + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    if (count < 0 && errno != ECONNRESET) fail_for_errno("the other end cannot be heard");
    if (count <= 0) return std::nullopt;
  }
  Header header{};
  std::memcpy(&header, heard_.data() + begin_, sizeof header);
  const std::byte* const content = heard_.data() + begin_ + sizeof header;
  begin_ += sizeof header + header.bytes;
  return Frame{header.kind, {content, content + header.bytes}};
}

std::vector<std::byte> encode(const IntervalSetup& setup) {
  ByteWriter out;
  out.zigzag(setup.id.rank);
  out.varint(setup.id.number);
  put(out, setup.end);
  out.u8(setup.is_last ? 1 : 0);
  out.u8(setup.tells_sends ? 1 : 0);
  out.varint(setup.helpers.size());
  for (const TaskProgress& helper : setup.helpers) put(out, {helper.task, helper.operations});
  out.varint(setup.started.size());
  for (const TaskId task : setup.started) out.u32(task.value);
  out.varint(setup.ranks.size());
  for (const std::int32_t rank : setup.ranks) out.zigzag(rank);
  out.varint(setup.withdrawn.size());
  for (const OperationId receive : setup.withdrawn) put(out, receive);
  out.text(text_of(encode_open_calls(setup.records.calls)));
  out.text(text_of(encode_answers(setup.records)));
  return out.take();
}

IntervalSetup decode_setup(std::span<const std::byte> bytes) {
  ByteReader in(bytes, where);
  IntervalSetup setup;
  setup.id.rank = static_cast<std::int32_t>(in.zigzag());
  setup.id.number = in.varint();
  setup.end = operation(in);
  setup.is_last = in.u8() != 0;
  setup.tells_sends = in.u8() != 0;
  setup.helpers.resize(in.count(8));
  for (TaskProgress& helper : setup.helpers) {
    const OperationId id = operation(in);
    helper = {id.task, id.number};
  }
  setup.started.resize(in.count(4));
  for (TaskId& task : setup.started) task.value = in.u32();
  setup.ranks.resize(in.count());
  for (std::int32_t& rank : setup.ranks) rank = static_cast<std::int32_t>(in.zigzag());
  setup.withdrawn.resize(in.count(8));
  for (OperationId& receive : setup.withdrawn) receive = operation(in);
  setup.records.calls = decode_open_calls(in.part(), where);
  decode_answers(in.part(), where, setup.records);
  in.finish();
  return setup;
}

void append(const OutsideMessage& message, std::vector<std::byte>& to) {
  ByteWriter out;
  put(out, message.send);
  out.u32(message.context);
  out.zigzag(message.source);
  out.zigzag(message.destination);
  out.zigzag(message.tag);
  out.varint(message.note);
  out.text(text_of(message.note_content));
  out.u8(message.is_rendezvous ? 1 : 0);
  out.text(text_of(message.content));
  const std::vector<std::byte> bytes = out.take();
  to.insert(to.end(), bytes.begin(), bytes.end());
}

std::vector<std::byte> encode(std::span<const OutsideMessage> messages) {
  std::vector<std::byte> bytes;
  for (const OutsideMessage& message : messages) append(message, bytes);
  return bytes;
}

std::vector<std::byte> encode_output(int stream, std::string_view text) {
  std::vector<std::byte> content{static_cast<std::byte>(stream)};
  const auto bytes = std::as_bytes(std::span(text));
  content.insert(content.end(), bytes.begin(), bytes.end());
  return content;
}

std::vector<OutsideMessage> decode_messages(std::span<const std::byte> bytes) {
  ByteReader in(bytes, where);
  std::vector<OutsideMessage> messages;
  while (!in.at_end()) {
    OutsideMessage& message = messages.emplace_back();
    message.send = operation(in);
    message.context = in.u32();
    message.source = static_cast<std::int32_t>(in.zigzag());
    message.destination = static_cast<std::int32_t>(in.zigzag());
    message.tag = static_cast<std::int32_t>(in.zigzag());
    message.note = in.varint();
    message.note_content = next_bytes(in);
    message.is_rendezvous = in.u8() != 0;
    message.content = next_bytes(in);
  }
  return messages;
}

std::vector<std::byte> encode(const Finding& finding) {
  ByteWriter out;
  out.text(name(finding.kind));
  out.text(finding.message);
  out.text(finding.class_name);
  out.varint(finding.where.size());
  for (const FindingPlace& place : finding.where) {
    out.text(place.file);
    out.varint(place.line);
    out.text(place.function);
    out.text(place.task);
    out.text(place.role);
  }
  return out.take();
}

Finding decode_finding(std::span<const std::byte> bytes) {
  ByteReader in(bytes, where);
  Finding finding;
  finding.kind = finding_kind(in.text()).value_or(FindingKind::divergence);
  finding.message = in.text();
  finding.class_name = in.text();
  finding.where.resize(in.count(5));
  for (FindingPlace& place : finding.where) {
    place.file = in.text();
    place.line = in.varint32();
    place.function = in.text();
    place.task = in.text();
    place.role = in.text();
  }
  in.finish();
  return finding;
}

std::vector<std::byte> encode(const UsageError& error) {
  ByteWriter out;
  out.text(error.problem());
  out.text(error.where());
  out.text(error.hint());
  return out.take();
}

UsageError decode_error(std::span<const std::byte> bytes) {
  ByteReader in(bytes, where);
  const std::string problem = in.text();
  const std::string place = in.text();
  return UsageError(problem, place, in.text());
}

std::vector<std::byte> encode(const IntervalEnd& end) {
  ByteWriter out;
  out.varint(end.memory_hash);
  out.varint(end.event_hash);
  out.varint(end.events);
  return out.take();
}

IntervalEnd decode_end(std::span<const std::byte> bytes) {
  ByteReader in(bytes, where);
  IntervalEnd end;
  end.memory_hash = in.varint();
  end.event_hash = in.varint();
  end.events = in.varint();
  in.finish();
  return end;
}

}  // namespace orrery::detail
