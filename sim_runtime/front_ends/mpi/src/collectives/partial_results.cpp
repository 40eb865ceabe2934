#include "partial_results.hpp"

namespace orrery::mpi {

PartialResult::PartialResult(const Collective& collective, const Reduction& reduction)
    : collective_(collective),
      reduction_(reduction),
      mine_(collective.scratch(), reduction.type, reduction.count),
      theirs_(collective.scratch(), reduction.type, reduction.count),
      packed_(collective.scratch(), reduction.type.is_contiguous() ? 0 : reduction.size_bytes()) {}

void* PartialResult::here(Elements elements) const {
  return element_address(reduction_.type, mine_.buffer(), elements.first);
}

void* PartialResult::there(Elements elements) const {
  return element_address(reduction_.type, theirs_.buffer(), elements.first);
}

void PartialResult::load(Elements elements, const void* from) {
  copy_elements(collective_.scratch(), reduction_.type, elements.count(), from, reduction_.type,
                elements.count(), here(elements));
}

void PartialResult::store(Elements elements, void* to) const {
  copy_elements(collective_.scratch(), reduction_.type, elements.count(), here(elements),
                reduction_.type, elements.count(), to);
}

const std::byte* PartialResult::packed(Elements elements) const {
  if (reduction_.type.is_contiguous()) return static_cast<const std::byte*>(here(elements));
  pack(reduction_.type, elements.count(), here(elements), packed_.data());
  return packed_.data();
}

std::byte* PartialResult::incoming_place(void* place) const {
  return reduction_.type.is_contiguous() ? static_cast<std::byte*>(place) : packed_.data();
}

void PartialResult::unpack_to(void* place, Elements elements) const {
  if (reduction_.type.is_contiguous()) return;
  unpack(reduction_.type, elements.count(), place, packed_.data(), size_bytes(elements));
}

void PartialResult::send(Peer destination, Elements elements) const {
  collective_.send(destination, packed(elements), size_bytes(elements));
}

void PartialResult::receive(Peer source, Elements elements) {
  collective_.receive(source, incoming_place(here(elements)), size_bytes(elements));
  unpack_to(here(elements), elements);
}

void PartialResult::receive_lower(Peer source, Elements elements) {
  collective_.receive(source, incoming_place(there(elements)), size_bytes(elements));
  unpack_to(there(elements), elements);
  combine(elements, true);
}

void PartialResult::receive_higher(Peer source, Elements elements) {
  collective_.receive(source, incoming_place(there(elements)), size_bytes(elements));
  unpack_to(there(elements), elements);
  combine(elements, false);
}

// What is sent has left the buffer when `send` is back, so that there is room for what comes.
void PartialResult::combine_with(Peer peer, Elements outgoing, Elements incoming,
                                 bool peer_is_lower) {
  const OrreryRequest id = collective_.start_receive(peer);
  collective_.send(peer, packed(outgoing), size_bytes(outgoing));
  collective_.finish_receive(id, peer, incoming_place(there(incoming)), size_bytes(incoming));
  unpack_to(there(incoming), incoming);
  combine(incoming, peer_is_lower);
}

void PartialResult::exchange(Peer peer, Elements outgoing, Elements incoming) {
  const OrreryRequest id = collective_.start_receive(peer);
  collective_.send(peer, packed(outgoing), size_bytes(outgoing));
  collective_.finish_receive(id, peer, incoming_place(here(incoming)), size_bytes(incoming));
  unpack_to(here(incoming), incoming);
}

void PartialResult::broadcast_from_first() {
  std::byte* const data = incoming_place(here(all()));
  if (collective_.rank() == 0) static_cast<void>(packed(all()));
  collective_.broadcast(0, data, size_bytes(all()));
  if (collective_.rank() != 0) unpack_to(here(all()), all());
}

void PartialResult::combine_lower(const PartialResult& lower) {
  lower.store(all(), theirs_.buffer());
  combine(all(), true);
}

void PartialResult::combine(Elements elements, bool came_from_lower) {
  const auto count = static_cast<int>(elements.count());
  if (count == 0) return;
  if (came_from_lower) {
    reduce_local(reduction_.operation, reduction_.type, reduction_.handle, there(elements),
                 here(elements), count);
  } else {
    reduce_into_lower(reduction_.operation, reduction_.type, reduction_.handle, here(elements),
                      there(elements), count);
  }
}

}  // namespace orrery::mpi
