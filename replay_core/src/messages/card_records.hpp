// What a recorder on a Myrinet card keeps of each message that comes: how the card writes it, and
// how the host reads it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace orrery::detail {

/// A message has come.
struct CardRecord {
  std::uint32_t receiver = 0;  ///< ranks
  std::uint32_t sender = 0;
  friend bool operator==(const CardRecord&, const CardRecord&) = default;
};

/// Writes the records of one card.
///
/// Plain: words of four bytes, low byte first; the sender, and before it, where the receiver is
/// another than before, the receiver with the top bit set.
///
/// Compressed: half bytes, low ones first.
///     0-7    the sender's place among the last eight of this receiver; who sent last is at 0
///     8-11   the place before, again: digits 1 to 4 in base four, low ones first, say how often
///     12     another receiver, whose number follows
///     13     a sender that is not among the eight, whose number follows: it is then at 0
///     14     nothing
/// Numbers are groups of three bits, low ones first, the fourth bit saying that more follow.
class CardCoder {
 public:
  /// What a record adds, at most.
  static constexpr std::uint64_t record_bytes_max = 16;

  explicit CardCoder(bool compresses) : compresses_(compresses) {}
  /// Appends the bytes that are complete with this record.
  void add(const CardRecord& record, std::vector<std::byte>& bytes);
  /// Appends what is not complete yet.
  void close(std::vector<std::byte>& bytes);

 private:
  static constexpr std::uint32_t nobody = UINT32_MAX;
  static constexpr std::uint32_t repeats_max = 65'536;

  void add_plain(const CardRecord& record, std::vector<std::byte>& bytes);
  void put(std::uint32_t half, std::vector<std::byte>& bytes);
  void put_number(std::uint32_t number, std::vector<std::byte>& bytes);
  void put_repeats(std::vector<std::byte>& bytes);

  bool compresses_;
  std::uint32_t receiver_ = nobody;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> last_senders_;  // by receiver
  std::uint32_t place_ = nobody;                                                // the one before
  std::uint32_t repeats_ = 0;  // of it, that are not written
  std::optional<std::uint32_t> half_;
};

/// All records of one card; nothing for bytes that no coder writes.
[[nodiscard]] std::optional<std::vector<CardRecord>> decode_card_records(
    std::span<const std::byte> bytes, bool compressed);

}  // namespace orrery::detail
