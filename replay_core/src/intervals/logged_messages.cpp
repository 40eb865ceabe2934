#include "logged_messages.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "interval_ids.hpp"
#include "log/byte_cursor.hpp"

namespace orrery {
namespace {

using detail::ByteReader;
using detail::ByteWriter;

constexpr std::size_t content_bytes_per_block = std::size_t{8} << 20U;

/// A part of the content; the first one is followed by all else.
void write_part(const LoggedMessage& message, std::size_t first, std::size_t count,
                ByteWriter& writer) {
  detail::write_id(message.send, writer);
  writer.varint(first);
  writer.varint(count);
  writer.bytes(std::span(message.content).subspan(first, count));
  if (first != 0) return;
  writer.varint(message.context);
  writer.zigzag(message.source);
  writer.zigzag(message.destination);
  writer.zigzag(message.tag);
  writer.varint(message.note);
  writer.u8(message.is_rendezvous ? 1 : 0);
  writer.varint(message.note_content.size());
  writer.bytes(message.note_content);
  detail::write_id(message.sender, writer);
  detail::write_id(message.receiver, writer);
}

/// All but the content, as it lies there: most are not wanted.
struct Head {
  std::uint32_t context = 0;
  std::int32_t source = 0;
  std::int32_t destination = 0;
  std::int32_t tag = 0;
  std::uint64_t note = 0;
  bool is_rendezvous = false;
  std::span<const std::byte> note_content;
  IntervalId sender;
  IntervalId receiver;
};

Head read_head(ByteReader& reader) {
  Head message;
  message.context = reader.varint32();
  message.source = static_cast<std::int32_t>(reader.zigzag());
  message.destination = static_cast<std::int32_t>(reader.zigzag());
  message.tag = static_cast<std::int32_t>(reader.zigzag());
  message.note = reader.varint();
  message.is_rendezvous = reader.u8() != 0;
  message.note_content = reader.part();
  message.sender = detail::read_interval_id(reader);
  message.receiver = detail::read_interval_id(reader);
  return message;
}

LoggedMessage message_of(OperationId send, const Head& head) {
  LoggedMessage message;
  message.send = send;
  message.context = head.context;
  message.source = head.source;
  message.destination = head.destination;
  message.tag = head.tag;
  message.note = head.note;
  message.is_rendezvous = head.is_rendezvous;
  message.note_content.assign(head.note_content.begin(), head.note_content.end());
  message.sender = head.sender;
  message.receiver = head.receiver;
  return message;
}

/// Goes through blocks, one after the other.
class Decoder {
 public:
  explicit Decoder(const std::function<bool(const IntervalId&)>& is_wanted)
      : is_wanted_(is_wanted) {}

  void read(std::span<const std::byte> block, std::string_view where) {
    ByteReader reader(block, where);
    while (!reader.at_end()) read_part(reader);
  }
  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] std::vector<LoggedMessage> take() { return std::move(messages_); }

 private:
  void read_part(ByteReader& reader) {
    const OperationId send = detail::read_id(reader);
    const std::uint64_t first = reader.varint();
    const std::span<const std::byte> content = reader.part();
    if (first == 0) {
      const Head head = read_head(reader);
      last_ = send;
      last_bytes_ = 0;
      is_last_wanted_ = is_wanted_(head.receiver);
      if (is_last_wanted_) messages_.push_back(message_of(send, head));
      ++count_;
    } else if (last_ != send || last_bytes_ != first) {
      reader.fail("a part of a message that has no beginning");
    }
    last_bytes_ += content.size();
    if (!is_last_wanted_) return;
    std::vector<std::byte>& all = messages_.back().content;
    all.insert(all.end(), content.begin(), content.end());
  }

  const std::function<bool(const IntervalId&)>& is_wanted_;
  std::vector<LoggedMessage> messages_;
  std::uint64_t count_ = 0;
  OperationId last_;
  std::uint64_t last_bytes_ = 0;
  bool is_last_wanted_ = false;
};

}  // namespace

void LoggedMessages::append(std::vector<std::byte> block, std::string where) {
  blocks_.push_back(std::make_shared<const Block>(Block{std::move(block), std::move(where)}));
}

std::vector<LoggedMessage> LoggedMessages::of(
    const std::function<bool(const IntervalId&)>& is_wanted) const {
  Decoder decoder(is_wanted);
  for (const auto& block : blocks_) decoder.read(block->content, block->where);
  return decoder.take();
}

std::vector<LoggedMessage> LoggedMessages::all() const {
  return of([](const IntervalId&) { return true; });
}

std::uint64_t LoggedMessages::count() const {
  const std::function<bool(const IntervalId&)> none = [](const IntervalId&) { return false; };
  Decoder decoder(none);
  for (const auto& block : blocks_) decoder.read(block->content, block->where);
  return decoder.count();
}

namespace detail {

std::vector<std::vector<std::byte>> encode_logged_messages(
    const std::vector<LoggedMessage>& messages) {
  std::vector<std::vector<std::byte>> blocks;
  ByteWriter writer;
  for (const LoggedMessage& message : messages) {
    std::size_t first = 0;
    do {
      const std::size_t count = std::min(content_bytes_per_block, message.content.size() - first);
      if (writer.size() != 0 && writer.size() + count > content_bytes_per_block) {
        blocks.push_back(writer.take());
        writer = {};
      }
      write_part(message, first, count, writer);
      first += count;
    } while (first < message.content.size());
  }
  if (writer.size() != 0) blocks.push_back(writer.take());
  return blocks;
}

}  // namespace detail
}  // namespace orrery
