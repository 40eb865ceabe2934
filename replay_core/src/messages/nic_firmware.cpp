#include "nic_firmware.hpp"

#include <algorithm>
#include <string>

#include <orrery/network_model/usage_error.hpp>

#include "yes_or_no.hpp"

namespace orrery::detail {
namespace {

constexpr std::uint64_t cycles_max = 1'000'000;

}  // namespace

NicFirmwareOptions nic_firmware_options(const NameWithOptions& given) {
  NicFirmwareOptions options;
  if (const auto text = given.text("buffer")) {
    const std::string where = given.where() + " " + given.name() + ":buffer";
    constexpr std::uint64_t buffer_bytes_max = std::uint64_t{1} << 30U;
    options.buffer_bytes = parse_size(*text, where, 0, buffer_bytes_max);
    if (options.buffer_bytes < CardCoder::record_bytes_max) {
      throw UsageError("a buffer of " + std::to_string(options.buffer_bytes) +
                           " bytes is too small for a record, which takes up to " +
                           std::to_string(CardCoder::record_bytes_max),
                       where, "give more, as in buffer=64KiB");
    }
  }
  options.compresses = yes_or_no(given, "compress");
  options.record_cycles = given.whole_number("cycles", options.record_cycles, 0, cycles_max);
  if (!options.compresses && given.text("compress_cycles")) {
    throw UsageError("'compress_cycles' says nothing without compress=yes",
                     given.where() + " " + given.name(), "add compress=yes, or leave it out");
  }
  options.compress_cycles =
      given.whole_number("compress_cycles", options.compress_cycles, 0, cycles_max);
  options.flush_cycles = given.whole_number("flush_cycles", options.flush_cycles, 0, cycles_max);
  return options;
}

std::uint64_t NicFirmware::code_sram_bytes() const {
  // Compressed: with a table of eight senders for each receiver of the host.
  return options_.compresses ? 4096 : 1024;
}

NicFirmware::Card& NicFirmware::card(std::uint32_t host) {
  while (cards_.size() <= host) cards_.emplace_back(options_.compresses);
  return cards_[host];
}

FirmwareWork NicFirmware::on_receive(const FirmwareCall& call, const Transfer& transfer) {
  const TransferHeader& header = transfer.header;
  if (!header.begins_message) return {};
  Card& own = card(call.host);
  const std::size_t before = own.buffer.size();
  own.coder.add({header.destination_process, header.source_process}, own.buffer);
  FirmwareWork work;
  work.kept_bytes = own.buffer.size() - before;
  work.cycles = options_.record_cycles + (options_.compresses ? options_.compress_cycles : 0);
  ++own.totals.records;
  own.totals.bytes += work.kept_bytes;
  if (own.buffer.size() >= options_.buffer_bytes / 2) flush(own, own.buffer.size(), work);
  own.totals.cycles += work.cycles;
  return work;
}

// The record at hand is in the buffer here already, behind what the card has kept of those before;
// of these some may wait for a flush that was asked for just now.
FirmwareWork NicFirmware::on_buffer_full(const FirmwareCall& call) {
  Card& own = card(call.host);
  FirmwareWork work;
  if (call.kept_bytes == 0) return work;  // all is on its way
  flush(own, std::min<std::uint64_t>(call.kept_bytes, own.buffer.size()), work);
  work.dma_bytes = call.kept_bytes;
  own.totals.cycles += work.cycles;
  return work;
}

FirmwareWork NicFirmware::on_finalize(const FirmwareCall& call) {
  Card& own = card(call.host);
  const std::size_t before = own.buffer.size();
  own.coder.close(own.buffer);
  FirmwareWork work;
  work.kept_bytes = own.buffer.size() - before;
  own.totals.bytes += work.kept_bytes;
  flush(own, own.buffer.size(), work);
  own.totals.cycles += work.cycles;
  return work;
}

void NicFirmware::flush(Card& card, std::uint64_t bytes, FirmwareWork& work) const {
  if (bytes == 0) return;
  const auto end = card.buffer.begin() + static_cast<std::ptrdiff_t>(bytes);
  card.in_host_memory.insert(card.in_host_memory.end(), card.buffer.begin(), end);
  card.buffer.erase(card.buffer.begin(), end);
  work.dma_bytes = bytes;
  work.cycles += options_.flush_cycles;
  ++card.totals.flushes;
}

std::optional<std::vector<CardRecord>> NicFirmware::records() const {
  std::vector<CardRecord> all;
  for (const Card& one : cards_) {
    std::vector<std::byte> bytes = one.in_host_memory;
    bytes.insert(bytes.end(), one.buffer.begin(), one.buffer.end());
    CardCoder rest = one.coder;
    rest.close(bytes);
    const auto records = decode_card_records(bytes, options_.compresses);
    if (!records) return std::nullopt;
    all.insert(all.end(), records->begin(), records->end());
  }
  return all;
}

NicFirmware::Totals NicFirmware::totals() const {
  Totals sum;
  for (const Card& one : cards_) {
    sum.records += one.totals.records;
    sum.bytes += one.totals.bytes;
    sum.flushes += one.totals.flushes;
    sum.cycles += one.totals.cycles;
  }
  return sum;
}

}  // namespace orrery::detail
