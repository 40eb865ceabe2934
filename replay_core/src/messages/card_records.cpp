#include "card_records.hpp"

#include <algorithm>

namespace orrery::detail {
namespace {

constexpr std::size_t alphabet_max = 8;
constexpr std::uint32_t first_digit = 8;
constexpr std::uint32_t base = 4;
constexpr std::uint32_t another_receiver = 12;
constexpr std::uint32_t new_sender = 13;
constexpr std::uint32_t nothing = 14;
constexpr std::uint32_t receiver_mark = 1U << 31U;

/// Who sent last comes first.
void move_to_front(std::vector<std::uint32_t>& senders, std::size_t place) {
  const auto begin = senders.begin();
  const auto at = begin + static_cast<std::ptrdiff_t>(place);
  std::rotate(begin, at, at + 1);
}

void add_sender(std::vector<std::uint32_t>& senders, std::uint32_t sender) {
  if (senders.size() == alphabet_max) senders.pop_back();
  senders.insert(senders.begin(), sender);
}

/// Reads half bytes; what is wrong leaves no records.
class Decoder {
 public:
  explicit Decoder(std::span<const std::byte> bytes) : bytes_(bytes) {}

  std::optional<std::vector<CardRecord>> all() {
    while (next_ < 2 * bytes_.size()) {
      const std::uint32_t half = take();
      if (half >= first_digit && half < first_digit + base) {
        if (!receiver_ || !place_ || weight_ > digits_max) return std::nullopt;
        repeats_ += std::uint64_t{half - first_digit + 1} * weight_;
        weight_ *= base;
        continue;
      }
      if (!repeat() || !read(half)) return std::nullopt;
    }
    if (!repeat()) return std::nullopt;
    return records_;
  }

 private:
  static constexpr std::uint64_t digits_max = 1U << 16U;

  std::uint32_t take() {
    const auto byte = std::to_integer<std::uint32_t>(bytes_[next_ / 2]);
    return next_++ % 2 == 0 ? byte & 15U : byte >> 4U;
  }

  std::optional<std::uint32_t> number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 33 && next_ < 2 * bytes_.size(); shift += 3) {
      const std::uint32_t group = take();
      value |= std::uint64_t{group & 7U} << shift;
      if ((group & 8U) != 0) continue;
      if (value > UINT32_MAX) return std::nullopt;
      return static_cast<std::uint32_t>(value);
    }
    return std::nullopt;
  }

  bool read(std::uint32_t half) {
    if (half == nothing) return true;
    if (half == another_receiver) {
      receiver_ = number();
      place_.reset();
      return receiver_.has_value();
    }
    if (!receiver_) return false;
    if (half == new_sender) {
      const std::optional<std::uint32_t> sender = number();
      if (!sender) return false;
      add_sender(last_senders_[*receiver_], *sender);
      records_.push_back({*receiver_, *sender});
      place_ = 0;
      return true;
    }
    place_ = half;
    return half < alphabet_max && again();
  }

  /// A message more, of the sender at the place.
  bool again() {
    std::vector<std::uint32_t>& senders = last_senders_[*receiver_];
    if (*place_ >= senders.size()) return false;
    move_to_front(senders, *place_);
    records_.push_back({*receiver_, senders.front()});
    return true;
  }

  bool repeat() {
    for (; repeats_ > 0; --repeats_) {
      if (!again()) return false;
    }
    weight_ = 1;
    return true;
  }

  std::span<const std::byte> bytes_;
  std::size_t next_ = 0;  // half byte
  std::optional<std::uint32_t> receiver_;
  std::optional<std::uint32_t> place_;
  std::uint64_t repeats_ = 0;
  std::uint64_t weight_ = 1;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> last_senders_;
  std::vector<CardRecord> records_;
};

std::optional<std::vector<CardRecord>> decode_plain(std::span<const std::byte> bytes) {
  if (bytes.size() % 4 != 0) return std::nullopt;
  std::vector<CardRecord> records;
  std::optional<std::uint32_t> receiver;
  for (std::size_t i = 0; i < bytes.size(); i += 4) {
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      word |= std::to_integer<std::uint32_t>(bytes[i + k]) << (8 * k);
    }
    if ((word & receiver_mark) != 0) {
      receiver = word & ~receiver_mark;
    } else if (!receiver) {
      return std::nullopt;
    } else {
      records.push_back({*receiver, word});
    }
  }
  return records;
}

}  // namespace

void CardCoder::add(const CardRecord& record, std::vector<std::byte>& bytes) {
  if (!compresses_) return add_plain(record, bytes);
  if (record.receiver != receiver_) {
    put_repeats(bytes);
    put(another_receiver, bytes);
    put_number(record.receiver, bytes);
    receiver_ = record.receiver;
    place_ = nobody;
  }
  std::vector<std::uint32_t>& senders = last_senders_[record.receiver];
  const auto found = std::ranges::find(senders, record.sender);
  if (found == senders.end()) {
    put_repeats(bytes);
    put(new_sender, bytes);
    put_number(record.sender, bytes);
    add_sender(senders, record.sender);
    place_ = 0;
    return;
  }
  const auto place = static_cast<std::uint32_t>(found - senders.begin());
  move_to_front(senders, place);
  if (place == place_ && repeats_ < repeats_max) {
    ++repeats_;
    return;
  }
  put_repeats(bytes);
  put(place, bytes);
  place_ = place;
}

void CardCoder::close(std::vector<std::byte>& bytes) {
  put_repeats(bytes);
  if (half_) put(nothing, bytes);
}

void CardCoder::add_plain(const CardRecord& record, std::vector<std::byte>& bytes) {
  const auto put_word = [&bytes](std::uint32_t word) {
    for (unsigned shift = 0; shift < 32; shift += 8) {
      bytes.push_back(static_cast<std::byte>(word >> shift));
    }
  };
  if (record.receiver != receiver_) put_word(record.receiver | receiver_mark);
  receiver_ = record.receiver;
  put_word(record.sender);
}

void CardCoder::put(std::uint32_t half, std::vector<std::byte>& bytes) {
  if (half_) bytes.push_back(static_cast<std::byte>(*half_ | half << 4U));
  half_ = half_ ? std::nullopt : std::optional(half);
}

void CardCoder::put_number(std::uint32_t number, std::vector<std::byte>& bytes) {
  for (; number > 7; number >>= 3U) put(8U | (number & 7U), bytes);
  put(number, bytes);
}

void CardCoder::put_repeats(std::vector<std::byte>& bytes) {
  for (; repeats_ > 0; repeats_ = (repeats_ - 1) / base) {
    put(first_digit + (repeats_ - 1) % base, bytes);
  }
}

std::optional<std::vector<CardRecord>> decode_card_records(std::span<const std::byte> bytes,
                                                           bool compressed) {
  return compressed ? Decoder(bytes).all() : decode_plain(bytes);
}

}  // namespace orrery::detail
