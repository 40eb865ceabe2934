// Messages between processes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <orrery/network_model/virtual_time.hpp>
#include <orrery/sim_runtime/ids.hpp>
#include <orrery/sim_runtime/operation.hpp>
#include <orrery/sim_runtime/source_location.hpp>

namespace orrery {

namespace detail {
class Machine;
struct RequestState;
}  // namespace detail

/// How a send ends: `standard` returns at once up to the eager threshold and waits for the receive
/// above it; `synchronous` always waits; `buffered` never does.
enum class SendMode : std::uint8_t { standard, synchronous, buffered };

/// Who sent what.
struct Envelope {
  std::int32_t source = any_source;  ///< rank of the sender
  std::int32_t tag = any_tag;
  std::uint64_t size_bytes = 0;
};

/// A received message.
template <typename T>
struct Message {
  std::int32_t source = any_source;
  std::int32_t tag = any_tag;
  T value{};
};

/// A non-blocking operation under way.  Value type; a request that is never completed is a finding
/// of kind `leak` at the end of the run.
class Request {
 public:
  Request() = default;
  Request(detail::Machine& machine, std::uint32_t handle) : machine_(&machine), handle_(handle) {}
  /// Waits until it is complete.
  Envelope wait(SourceLocation where = SourceLocation::current());
  /// Is it complete?  A failed test is a poll: it parks until something else has happened.
  bool test(SourceLocation where = SourceLocation::current());
  /// Takes the request back: a receive that has matched nothing, or a send that nobody has matched.
  /// Returns false if it was too late.
  bool cancel(SourceLocation where = SourceLocation::current());
  /// The bytes of a completed receive; releases the request.
  [[nodiscard]] std::vector<std::byte> take_payload();
  [[nodiscard]] std::uint32_t handle() const { return handle_; }

 private:
  detail::Machine* machine_ = nullptr;
  std::uint32_t handle_ = 0;
};

namespace detail {
template <typename T>
struct Payload {
  static_assert(std::is_trivially_copyable_v<T>,
                "messages carry trivially copyable types, std::string and std::vector of such");
  static std::span<const std::byte> bytes(const T& value) {
    return std::as_bytes(std::span<const T, 1>(&value, 1));
  }
  static T value(std::span<const std::byte> bytes) {
    T result{};
    std::memcpy(&result, bytes.data(), bytes.size() < sizeof(T) ? bytes.size() : sizeof(T));
    return result;
  }
};
template <typename Element>
struct Payload<std::vector<Element>> {
  static_assert(std::is_trivially_copyable_v<Element>);
  static std::span<const std::byte> bytes(const std::vector<Element>& value) {
    return std::as_bytes(std::span<const Element>(value));
  }
  static std::vector<Element> value(std::span<const std::byte> bytes) {
    std::vector<Element> result(bytes.size() / sizeof(Element));
    if (!result.empty()) std::memcpy(result.data(), bytes.data(), result.size() * sizeof(Element));
    return result;
  }
};
template <>
struct Payload<std::string> {
  static std::span<const std::byte> bytes(const std::string& value) {
    return std::as_bytes(std::span<const char>(value));
  }
  static std::string value(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
};
}  // namespace detail

/// One process' view of all processes.  Non-overtaking: two messages from one sender to one
/// receiver that a receive could both take arrive in the order in which they were sent.  A wildcard
/// receive is a choice among the oldest matching message of each sender.
///
///     comm.send(1, 7, std::vector{1, 2, 3});
///     auto [source, tag, text] = comm.receive<std::string>(orrery::any_source, 7);
///     if (auto reply = comm.receive_for<int>(10ms, 0)) use(reply->value);
class Communicator {
 public:
  Communicator(detail::Machine& machine, std::int32_t rank) : machine_(&machine), rank_(rank) {}

  /// This process' rank, from 0.
  [[nodiscard]] std::int32_t rank() const { return rank_; }
  /// How many processes there are now.
  [[nodiscard]] std::int32_t size() const;

  template <typename T>
  void send(std::int32_t destination, std::int32_t tag, const T& value,
            SendMode mode = SendMode::standard, SourceLocation where = SourceLocation::current()) {
    send_bytes(destination, tag, detail::Payload<T>::bytes(value), mode, where);
  }
  template <typename T>
  Request start_send(std::int32_t destination, std::int32_t tag, const T& value,
                     SendMode mode = SendMode::standard,
                     SourceLocation where = SourceLocation::current()) {
    return start_send_bytes(destination, tag, detail::Payload<T>::bytes(value), mode, where);
  }
  template <typename T>
  Message<T> receive(std::int32_t source = any_source, std::int32_t tag = any_tag,
                     SourceLocation where = SourceLocation::current()) {
    std::vector<std::byte> payload;
    const auto envelope = receive_bytes(source, tag, VirtualTime::never(), payload, where);
    return {envelope->source, envelope->tag, detail::Payload<T>::value(payload)};
  }
  /// Gives up after `timeout`; whether the message or the deadline wins is a choice.
  template <typename T>
  std::optional<Message<T>> receive_for(VirtualDuration timeout, std::int32_t source = any_source,
                                        std::int32_t tag = any_tag,
                                        SourceLocation where = SourceLocation::current()) {
    std::vector<std::byte> payload;
    const auto envelope = receive_bytes(source, tag, now() + timeout, payload, where);
    if (!envelope) return std::nullopt;
    return Message<T>{envelope->source, envelope->tag, detail::Payload<T>::value(payload)};
  }
  Request start_receive(std::int32_t source = any_source, std::int32_t tag = any_tag,
                        SourceLocation where = SourceLocation::current());

  /// Waits until a matching message has arrived, without taking it.
  Envelope probe(std::int32_t source = any_source, std::int32_t tag = any_tag,
                 SourceLocation where = SourceLocation::current());
  /// Has one arrived?  A failed try is a poll.
  std::optional<Envelope> try_probe(std::int32_t source = any_source, std::int32_t tag = any_tag,
                                    SourceLocation where = SourceLocation::current());
  /// Waits until one of the requests is complete (which one, if several, is a choice) and returns
  /// its index; nothing if the timeout won.
  std::optional<std::size_t> select(std::span<const Request> requests,
                                    VirtualDuration timeout = VirtualDuration::max(),
                                    SourceLocation where = SourceLocation::current());

  void send_bytes(std::int32_t destination, std::int32_t tag, std::span<const std::byte> bytes,
                  SendMode mode, SourceLocation where);
  Request start_send_bytes(std::int32_t destination, std::int32_t tag,
                           std::span<const std::byte> bytes, SendMode mode, SourceLocation where);
  std::optional<Envelope> receive_bytes(std::int32_t source, std::int32_t tag, VirtualTime deadline,
                                        std::vector<std::byte>& payload, SourceLocation where);

 private:
  [[nodiscard]] VirtualTime now() const;
  detail::Machine* machine_;
  std::int32_t rank_;
};

}  // namespace orrery
