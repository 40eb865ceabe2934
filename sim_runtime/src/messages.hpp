// Message passing: channels, mailboxes, requests, and the network that gives the dates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include <orrery/network_model/network_model.hpp>
#include <orrery/sim_runtime/communicator.hpp>
#include <orrery/sim_runtime/note_carrier.h>
#include <orrery/sim_runtime/operation.hpp>
#include <orrery/sim_runtime/runtime_table.h>

#include "agenda.hpp"
#include "faults.hpp"
#include "mailbox.hpp"
#include "message.hpp"
#include "transfers_under_way.hpp"

namespace orrery {
struct OutsideMessage;
}

namespace orrery::detail {

/// A non-blocking operation, or the tail of a blocking one.
struct RequestState {
  bool in_use = false;
  bool is_receive = false;
  bool complete = false;
  bool cancelled = false;
  bool has_failed = false;     ///< the connection to the other end is broken
  bool is_known = false;       ///< the program has been told that it is complete
  bool is_released = false;    ///< the program let go of it while it was active
  bool is_event = false;       ///< of a front end's own: no message belongs to it
  bool could_buffer = false;   ///< a send that might have been complete without its receive
  bool had_to_wait = false;    ///< a send that is received elsewhere, and would wait for it here
  const char* call = nullptr;  ///< what a remote call is called; null: it is none
  std::int32_t owner = -1;     ///< rank
  MessagePattern pattern;
  MessageIndex message = no_message;
  OperationId started_by;
  OperationId matched;     ///< the operation at the other end, once complete
  Task* waiter = nullptr;  ///< that counts its completion; null: nobody has to be told
  SourceLocation started_at;
};

/// Who answers remote calls.
struct CallHandler {
  void (*function)(void* argument, std::uint64_t call, const OrreryEnvelope* envelope,
                   const void* data) = nullptr;
  void* argument = nullptr;
};

/// What a wait for requests looks at while it is parked.
struct SelectSpec {
  std::span<const RequestHandle> requests;  ///< entries of 0 are skipped
  bool all = false;
};

/// How many of its requests a completion call is about to report: as in `OrrerySelect`.
enum class SelectExtent : std::uint8_t { any, some, all };

/// A completion call: `MPI_Waitany`, `MPI_Testsome` and their kin.
struct SelectCall {
  std::span<const RequestHandle> requests;  ///< entries of 0 are skipped
  SelectExtent extent = SelectExtent::all;
  bool polls = false;                        ///< comes back at once
  OperationKind kind = OperationKind::wait;  ///< or `select`, or `test`
  VirtualTime deadline = VirtualTime::never();
};

/// All message passing of a run.  Sends go into *channels* (one for each sender, receiver and
/// context, in order); a delivery takes the head of a channel to its mailbox; receives take from
/// there.
class MessageSystem final : private ChanceSource {
 public:
  MessageSystem(Machine& machine, std::unique_ptr<NetworkModel> network);

  void reset();
  /// A rank more, on this host.
  void add_process(std::uint32_t host);
  [[nodiscard]] std::uint32_t host_of(std::int32_t rank) const {
    return hosts_[static_cast<std::size_t>(rank)];
  }
  [[nodiscard]] const std::vector<std::uint32_t>& hosts() const { return hosts_; }
  [[nodiscard]] const NetworkModel& network() const { return *network_; }

  // Operations of the running task.
  /// False if the connection is broken.
  bool send(const MessagePattern& to, std::span<const std::byte> bytes, SendMode mode,
            const SourceLocation& where, std::uint64_t note = 0);
  RequestHandle start_send(const MessagePattern& to, std::span<const std::byte> bytes,
                           SendMode mode, const SourceLocation& where, std::uint64_t note = 0);
  /// Takes a message; returns a completed request that holds it, or 0 if the deadline won.
  RequestHandle receive(const MessagePattern& pattern, VirtualTime deadline,
                        const SourceLocation& where);
  RequestHandle start_receive(const MessagePattern& pattern, const SourceLocation& where);
  /// Waits as `spec` says; false if the deadline won.  `kind` is `wait` or `select`.
  bool wait(const SelectSpec& spec, VirtualTime deadline, OperationKind kind,
            const SourceLocation& where);
  /// Waits or polls as `call` says, and tells the observers what is complete.  Gives the places of
  /// those that it reports, ascending, until the next call: none if a poll has failed or the
  /// deadline won.
  std::span<const std::uint32_t> select(const SelectCall& call, const SourceLocation& where);
  /// A request that somebody completes by a call.
  RequestHandle start_event(const SourceLocation& where);
  void complete_event(RequestHandle handle);
  // Remote calls (messages_calls.cpp): messages that are answered where they are delivered, without
  // a task of the other end.  The answer completes the request, and is its payload.
  void set_call_handler(CallHandler handler) { call_handler_ = handler; }
  /// Who knows what tasks wait for, besides the machine; may be null.
  void set_wait_teller(OrreryWaitTeller teller) { wait_teller_ = teller; }
  [[nodiscard]] OrreryWaitTeller wait_teller() const { return wait_teller_; }
  /// Who knows what notes stand for; may be null.
  void set_note_carrier(const OrreryNoteCarrier* carrier) { note_carrier_ = carrier; }
  RequestHandle start_call(const MessagePattern& to, std::span<const std::byte> bytes,
                           const char* name, const SourceLocation& where, std::uint64_t note);
  void answer_call(std::uint64_t call, std::span<const std::byte> answer);
  bool cancel(RequestHandle handle, const SourceLocation& where);
  std::optional<Envelope> probe(const MessagePattern& pattern, bool is_poll,
                                const SourceLocation& where);
  /// A probe that takes the message which it finds (messages_claim.cpp): a request that holds it,
  /// whose receive has not begun; 0 where `probe` finds none.
  RequestHandle claim(const MessagePattern& pattern, bool is_poll, const SourceLocation& where);
  /// Begins the receive of such a message.
  void start_claimed(RequestHandle handle, const SourceLocation& where);
  /// Of what the task is about to cancel: has the other end got it?
  [[nodiscard]] bool is_too_late(const Task& task) const;
  void release(RequestHandle handle);
  /// Tells the observers that the program has seen this request complete.
  void tell_completed(RequestHandle handle, OperationKind kind, const SourceLocation& where);

  [[nodiscard]] const RequestState& request(RequestHandle handle) const {
    return requests_[handle];
  }
  /// All that there are, in use or not: for a debugger.
  [[nodiscard]] const std::deque<MessageState>& messages() const { return messages_; }
  [[nodiscard]] const std::deque<RequestState>& requests() const { return requests_; }
  /// The message that a request is about, while it is known; null: none.
  [[nodiscard]] const MessageState* message_of(RequestHandle handle) const {
    const MessageIndex index = requests_[handle].message;
    return index == no_message ? nullptr : &messages_[index];
  }
  [[nodiscard]] bool is_valid(RequestHandle handle) const {
    return handle > 0 && handle < requests_.size() && requests_[handle].in_use;
  }
  [[nodiscard]] Envelope envelope(RequestHandle handle) const;
  [[nodiscard]] std::span<const std::byte> payload(RequestHandle handle) const;
  /// What came with the message of a receive; 0 without one.
  [[nodiscard]] std::uint64_t note(RequestHandle handle) const;
  /// Would this message, sent now, find a posted receive that no earlier one on its way takes?
  bool has_receive(const MessagePattern& to);
  [[nodiscard]] bool is_satisfied(const SelectSpec& spec) const;
  /// The same for what a task is parked with.
  [[nodiscard]] bool has_completions(const Task& task) const;
  [[nodiscard]] Mailbox& mailbox(std::int32_t rank) {
    return *mailboxes_[static_cast<std::size_t>(rank)];
  }

  // Faults (messages_faults.cpp).  Unreliable: what is lost is lost, as with datagrams, and a
  // message to a host that is down as well.  Reliable: the NIC sends it again (GM's semantics),
  // unless the plan says `unreliable`: then the connection of the two hosts breaks.
  void set_reliable() { is_reliable_ = true; }
  [[nodiscard]] bool is_reliable() const { return is_reliable_; }
  void process_crashed(std::int32_t rank);
  /// What a disturbance held up goes on its way.
  void send_held(std::span<const MessageIndex> held, FaultKind kind);
  /// Is nothing to be expected from `source` (any: from somebody) to `rank`, for ever?
  [[nodiscard]] bool is_cut_off(std::int32_t rank, std::int32_t source) const;

  // Of a rank that goes on alone (messages_alone.cpp).
  /// From now on: what this rank has sent to others is received elsewhere.
  void part_from_others(std::int32_t rank);
  void bring_in(const OutsideMessage& brought);
  /// What stands behind the message's note, for another process; empty: nothing.
  [[nodiscard]] std::span<const std::byte> note_content(const MessageState& message) const;

  // Steps of the machine's own.
  void deliver(std::uint32_t channel);
  void transfer_arrived(MessageIndex index);
  void advance_network(VirtualTime date);
  /// A process on this host has done its work.
  void finalize(std::uint32_t host);
  /// Offers messages that were withheld from posted receives once more.
  void readmit();
  [[nodiscard]] bool has_withheld() const { return has_withheld_; }
  /// Has anything arrived that this receive or probe of `rank` could take, admitted or not?
  [[nodiscard]] bool has_candidates(std::int32_t rank, const Operation& receive) const;
  /// Among the candidates of the question that is being asked: the one that arrived first.
  [[nodiscard]] std::size_t oldest_candidate() const;

  /// Requests that nobody has waited for, at the end of a run.
  void for_each_active(const std::function<void(const RequestState&)>& report) const;
  [[nodiscard]] std::uint64_t sent() const { return sent_; }

 private:
  /// A draw of the network's, at the running operation.
  std::uint64_t draw(std::uint64_t key, std::uint64_t bound) override;

  struct Channel {
    MessageIndex first = no_message;  ///< the next to be delivered
    MessageIndex last = no_message;
    Actor actor;
  };

  // messages_send.cpp
  MessageIndex create(const MessagePattern& to, std::span<const std::byte> bytes, SendMode mode,
                      bool is_call = false);
  MessageIndex create(const MessagePattern& to, std::span<const std::byte> bytes,
                      OperationId sender);
  void dispatch(MessageIndex index);
  MessageIndex free_message();
  void append_to_channel(MessageIndex index);
  void announce_send(const MessagePattern& to, std::uint64_t size_bytes,
                     const SourceLocation& where, Operation& operation);
  void tell_sent(const Operation& operation, MessageIndex index);
  Channel& channel_of(const MessagePattern& to);
  void expect_head(Channel& channel);
  void start_transfer(MessageIndex index, std::int32_t from, std::int32_t to,
                      std::uint64_t size_bytes);
  void start_phase(MessageIndex index, MessageState::Phase phase);
  [[nodiscard]] bool is_under_way(TransferId transfer, MessageIndex index) const;
  void apply_dates();
  void drop(MessageIndex index);

  // messages_faults.cpp
  void send_off(MessageIndex index, std::uint64_t size_bytes);
  void apply_fate(MessageIndex index, const MessageFate& fate);
  void duplicate(MessageIndex index);
  bool is_kept_back(MessageIndex index, std::int32_t from, std::int32_t to);
  void break_connection(std::uint32_t host, std::uint32_t other_host);
  void fail(RequestHandle handle);
  RequestHandle failed_receive(const MessagePattern& pattern, const SourceLocation& where);

  // messages_calls.cpp
  void take_call(MessageIndex index);
  void take_answer(MessageIndex index);
  [[nodiscard]] bool has_payload(const RequestState& request) const;

  // messages_matching.cpp
  void tell_matching_sent(const Operation& operation, MessageIndex index);
  void tell_receiver(MatchingStep::Kind kind, const RequestState& request, OperationId send = {});

  // messages_alone.cpp
  [[nodiscard]] bool is_elsewhere(std::int32_t rank) const {
    return lone_rank_ >= 0 && rank != lone_rank_;
  }
  void tell_carrier(const MessageState& message) const;
  RequestHandle leave(MessageIndex index, const SourceLocation& where);

  // messages_select.cpp
  struct Forced;
  void force(const SelectCall& call, const Operation& operation, Forced& forced);
  void take_complete(const SelectCall& call);
  std::vector<Alternative> alternatives_among(const SelectCall& call,
                                              std::span<const std::uint32_t> places);
  std::size_t choose_complete(const SelectCall& call);
  void tell_forced(const SelectCall& call);
  void leave_some_out();
  void tell_selected(const SelectCall& call, bool succeeded);

  // messages_wait.cpp
  /// A poll; `must_fail`: a replay says so.
  bool test(const SelectSpec& spec, bool must_fail, const SourceLocation& where);
  void expect_completions(Task& task, const SelectSpec& spec);
  void stop_expecting(const Task& task, const SelectSpec& spec);
  static void count_completion(RequestState& request);

  // messages_receive.cpp
  MessageIndex look(const MessagePattern& pattern, bool is_poll, bool takes,
                    const SourceLocation& where);
  void match(RequestHandle handle, MessageIndex index);
  bool offer(MessageIndex index);
  bool waits_behind_another(const MessageState& message, const RequestState& request);
  [[nodiscard]] bool is_too_late(RequestHandle handle) const;
  MessageIndex choose_match(const MessagePattern& pattern, OperationId asker);
  void complete(RequestHandle handle, OperationId matched);
  RequestHandle new_request(bool is_receive, const MessagePattern& pattern,
                            const SourceLocation& where);
  void recycle(RequestHandle handle);
  [[nodiscard]] std::int32_t running_rank() const;

  Machine& machine_;
  std::unique_ptr<NetworkModel> network_;
  std::vector<ArrivalDate> dates_;
  std::deque<MessageState> messages_;
  std::vector<MessageIndex> free_messages_;
  TransfersUnderWay transfers_;
  std::deque<Channel> channels_;
  std::size_t channels_used_ = 0;
  struct ChannelKey {
    std::uint32_t context;
    std::int32_t source;
    std::int32_t destination;
    friend bool operator==(const ChannelKey&, const ChannelKey&) = default;
  };
  struct ChannelKeyHash {
    std::size_t operator()(const ChannelKey& key) const {
      std::uint64_t h = key.context;
      h = (h ^ static_cast<std::uint32_t>(key.source)) * 0x9e3779b97f4a7c15U;
      h = (h ^ static_cast<std::uint32_t>(key.destination)) * 0xbf58476d1ce4e5b9U;
      return h ^ h >> 29U;
    }
  };
  std::unordered_map<ChannelKey, std::uint32_t, ChannelKeyHash> channel_index_;
  std::deque<std::unique_ptr<Mailbox>> mailboxes_;
  std::size_t mailboxes_used_ = 0;
  std::vector<std::uint32_t> hosts_;  // by rank
  std::deque<RequestState> requests_;
  std::vector<RequestHandle> free_requests_;
  std::int32_t lone_rank_ = -1;
  bool is_reliable_ = false;
  std::set<std::pair<std::uint32_t, std::uint32_t>> broken_;  ///< pairs of hosts, lower first
  std::uint64_t sent_ = 0;
  std::uint64_t arrivals_ = 0;
  bool has_withheld_ = false;
  std::vector<Alternative> candidate_alternatives_;
  std::vector<MessageIndex> candidate_messages_;
  std::span<const MessageIndex> asked_candidates_;
  std::vector<RequestHandle> posts_;
  std::vector<std::uint32_t> selected_;  ///< places of requests that a completion call reports
  CallHandler call_handler_;
  OrreryWaitTeller wait_teller_ = nullptr;
  const OrreryNoteCarrier* note_carrier_ = nullptr;
  OperationId delivered_call_;  ///< the one that is being handed over
};

/// 64-bit FNV-1a over a message's bytes: a payload's identity in events.
[[nodiscard]] std::uint64_t payload_hash(std::span<const std::byte> bytes);

}  // namespace orrery::detail
