#include <orrery/network_model/usage_error.hpp>
#include <orrery/sim_runtime/communicator.hpp>

#include "machine.hpp"

namespace orrery {
namespace {

using detail::MessagePattern;

constexpr std::uint32_t api_context = 0;  // the front ends number theirs from 1

detail::RequestHandle checked(detail::Machine* machine, std::uint32_t handle) {
  if (machine == nullptr || !machine->messages().is_valid(handle)) {
    throw UsageError("the request is empty or has been completed before", "orrery::Request",
                     "wait for each request once");
  }
  return handle;
}

}  // namespace

std::int32_t Communicator::size() const {
  return machine_->rank_count();
}

VirtualTime Communicator::now() const {
  return machine_->now();
}

void Communicator::send_bytes(std::int32_t destination, std::int32_t tag,
                              std::span<const std::byte> bytes, SendMode mode,
                              SourceLocation where) {
  machine_->messages().send({api_context, rank_, destination, tag}, bytes, mode, where);
}

Request Communicator::start_send_bytes(std::int32_t destination, std::int32_t tag,
                                       std::span<const std::byte> bytes, SendMode mode,
                                       SourceLocation where) {
  const MessagePattern to{api_context, rank_, destination, tag};
  return {*machine_, machine_->messages().start_send(to, bytes, mode, where)};
}

std::optional<Envelope> Communicator::receive_bytes(std::int32_t source, std::int32_t tag,
                                                    VirtualTime deadline,
                                                    std::vector<std::byte>& payload,
                                                    SourceLocation where) {
  auto& messages = machine_->messages();
  const auto request = messages.receive({api_context, source, rank_, tag}, deadline, where);
  if (request == 0) return std::nullopt;
  const Envelope envelope = messages.envelope(request);
  const auto bytes = messages.payload(request);
  payload.assign(bytes.begin(), bytes.end());
  messages.release(request);
  return envelope;
}

Request Communicator::start_receive(std::int32_t source, std::int32_t tag, SourceLocation where) {
  return {*machine_, machine_->messages().start_receive({api_context, source, rank_, tag}, where)};
}

Envelope Communicator::probe(std::int32_t source, std::int32_t tag, SourceLocation where) {
  return machine_->messages()
      .probe({api_context, source, rank_, tag}, /*is_poll=*/false, where)
      .value_or(Envelope{});
}

std::optional<Envelope> Communicator::try_probe(std::int32_t source, std::int32_t tag,
                                                SourceLocation where) {
  return machine_->messages().probe({api_context, source, rank_, tag}, /*is_poll=*/true, where);
}

std::optional<std::size_t> Communicator::select(std::span<const Request> requests,
                                                VirtualDuration timeout, SourceLocation where) {
  std::vector<detail::RequestHandle> handles;
  for (const Request& request : requests) {
    const bool is_open = machine_->messages().is_valid(request.handle());
    handles.push_back(is_open ? request.handle() : 0);
  }
  const auto taken = machine_->messages().select({.requests = handles,
                                                  .extent = detail::SelectExtent::any,
                                                  .kind = OperationKind::select,
                                                  .deadline = machine_->now() + timeout},
                                                 where);
  if (taken.empty()) return std::nullopt;
  return taken.front();
}

Envelope Request::wait(SourceLocation where) {
  auto& messages = machine_->messages();
  const detail::RequestHandle handles[] = {checked(machine_, handle_)};
  messages.wait({handles, true}, VirtualTime::never(), OperationKind::wait, where);
  if (machine_->is_unwinding()) return {};
  const Envelope envelope = messages.envelope(handle_);
  if (!messages.request(handle_).is_receive) messages.release(handle_);
  return envelope;
}

bool Request::test(SourceLocation where) {
  const detail::RequestHandle handles[] = {checked(machine_, handle_)};
  return !machine_->messages()
              .select({.requests = handles,
                       .extent = detail::SelectExtent::all,
                       .polls = true,
                       .kind = OperationKind::test},
                      where)
              .empty();
}

bool Request::cancel(SourceLocation where) {
  auto& messages = machine_->messages();
  const bool cancelled = messages.cancel(checked(machine_, handle_), where);
  if (cancelled) messages.release(handle_);
  return cancelled;
}

std::vector<std::byte> Request::take_payload() {
  auto& messages = machine_->messages();
  const auto handle = checked(machine_, handle_);
  if (!messages.request(handle).complete) {
    throw UsageError("the receive is not complete yet", "Request::take_payload", "wait for it");
  }
  const auto bytes = messages.payload(handle);
  std::vector<std::byte> result(bytes.begin(), bytes.end());
  messages.release(handle);
  return result;
}

}  // namespace orrery
