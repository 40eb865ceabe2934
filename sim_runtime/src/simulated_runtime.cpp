#include <array>
#include <cstring>
#include <span>

#include <fmt/format.h>

#include <orrery/network_model/usage_error.hpp>
#include <orrery/sim_runtime/simulated_runtime.hpp>

#include "machine.hpp"
#include "operation_on.hpp"
#include "simulated_loans.hpp"
#include "simulated_threads.hpp"

namespace orrery {
namespace {

using detail::Machine;
using detail::MessagePattern;
using detail::RequestHandle;

Machine& machine() {
  return *Machine::current();
}

SourceLocation at(std::uintptr_t program_counter) {
  return SourceLocation::at(program_counter);
}

MessagePattern pattern_of(const OrreryEnvelope& envelope) {
  return {envelope.context, envelope.source, envelope.destination, envelope.tag};
}

std::span<const std::byte> bytes_of(const OrreryEnvelope& envelope, const void* data) {
  return {static_cast<const std::byte*>(data), envelope.size_bytes};
}

SendMode mode_of(OrrerySendMode mode) {
  switch (mode) {
    case ORRERY_SEND_SYNCHRONOUS: return SendMode::synchronous;
    case ORRERY_SEND_BUFFERED: return SendMode::buffered;
    default: return SendMode::standard;
  }
}

int32_t rank() {
  auto* const current = Machine::current();
  if (current == nullptr || !current->has_running()) return -1;
  return current->process_at(current->running().process).rank;
}

int32_t rank_count() {
  return machine().rank_count();
}

const char* host_name() {
  static thread_local char name[256];
  const auto host = machine().process_at(machine().running().process).host;
  const std::string whole = machine().messages().network().host(host).name;
  *fmt::format_to_n(name, sizeof name - 1, "{}", whole).out = '\0';
  return name;
}

uint32_t send(const OrreryEnvelope* to, const void* data, OrrerySendMode mode, uintptr_t pc) {
  const SourceLocation where = at(pc);
  const bool is_sent = machine().messages().send(pattern_of(*to), bytes_of(*to, data),
                                                 mode_of(mode), where, to->note);
  return is_sent ? ORRERY_REQUEST_COMPLETE : ORRERY_REQUEST_COMPLETE | ORRERY_REQUEST_FAILED;
}

OrreryRequest start_send(const OrreryEnvelope* to, const void* data, OrrerySendMode mode,
                         uintptr_t pc) {
  const SourceLocation where = at(pc);
  return machine().messages().start_send(pattern_of(*to), bytes_of(*to, data), mode_of(mode), where,
                                         to->note);
}

OrreryRequest receive(const OrreryEnvelope* pattern, uintptr_t pc) {
  const SourceLocation where = at(pc);
  return machine().messages().receive(pattern_of(*pattern), VirtualTime::never(), where);
}

OrreryRequest start_receive(const OrreryEnvelope* pattern, uintptr_t pc) {
  const SourceLocation where = at(pc);
  return machine().messages().start_receive(pattern_of(*pattern), where);
}

int32_t select(const OrreryRequest* handles, int32_t count, OrrerySelect how, int32_t* indices,
               uintptr_t pc) {
  const SourceLocation where = at(pc);
  const auto extent = static_cast<detail::SelectExtent>(how & 3);
  const bool polls = how >= ORRERY_SELECT_POLL_ANY;
  const bool is_wait = extent == detail::SelectExtent::all || count == 1;
  const auto kind = polls     ? OperationKind::test
                    : is_wait ? OperationKind::wait
                              : OperationKind::select;
  const auto taken =
      machine().messages().select({.requests{handles, static_cast<std::size_t>(count)},
                                   .extent = extent,
                                   .polls = polls,
                                   .kind = kind},
                                  where);
  std::ranges::copy(taken, indices);
  return static_cast<int32_t>(taken.size());
}

uint32_t inspect(OrreryRequest handle, OrreryEnvelope* envelope) {
  auto& messages = machine().messages();
  if (!messages.is_valid(handle)) return 0;
  const auto& request = messages.request(handle);
  std::uint32_t flags = 0;
  if (request.complete) flags |= ORRERY_REQUEST_COMPLETE;
  if (request.cancelled) flags |= ORRERY_REQUEST_CANCELLED;
  if (request.is_receive) flags |= ORRERY_REQUEST_RECEIVE;
  if (request.has_failed) flags |= ORRERY_REQUEST_FAILED;
  if (envelope != nullptr) {
    const Envelope found = messages.envelope(handle);
    *envelope = {
        request.pattern.context, found.source,         request.pattern.destination, found.tag,
        found.size_bytes,        messages.note(handle)};
  }
  return flags;
}

const void* payload(OrreryRequest handle) {
  return machine().messages().payload(handle).data();
}

void release(OrreryRequest handle) {
  machine().messages().release(handle);
}

int32_t cancel(OrreryRequest handle, uintptr_t pc) {
  const SourceLocation where = at(pc);
  return machine().messages().cancel(handle, where) ? 1 : 0;
}

int32_t probe(const OrreryEnvelope* pattern, int32_t poll, OrreryEnvelope* found, uintptr_t pc) {
  const SourceLocation where = at(pc);
  auto& messages = machine().messages();
  const auto envelope = messages.probe(pattern_of(*pattern), poll != 0, where);
  if (!envelope) return messages.is_cut_off(pattern->destination, pattern->source) ? -1 : 0;
  *found = {pattern->context, envelope->source,     pattern->destination,
            envelope->tag,    envelope->size_bytes, 0};
  return 1;
}

int32_t claim(const OrreryEnvelope* pattern, int32_t poll, OrreryEnvelope* found,
              OrreryRequest* message, uintptr_t pc) {
  const SourceLocation where = at(pc);
  auto& messages = machine().messages();
  *message = messages.claim(pattern_of(*pattern), poll != 0, where);
  if (*message == 0) return messages.is_cut_off(pattern->destination, pattern->source) ? -1 : 0;
  inspect(*message, found);
  return 1;
}

void start_claimed(OrreryRequest message, uintptr_t pc) {
  const SourceLocation where = at(pc);
  machine().messages().start_claimed(message, where);
}

OrreryRequest start_event(uintptr_t pc) {
  return machine().messages().start_event(at(pc));
}

void complete_event(OrreryRequest handle) {
  machine().messages().complete_event(handle);
}

void set_call_handler(OrreryCallHandler handler, void* argument) {
  machine().checkpoints().is_beyond_messages("makes a window (one-sided communication)");
  machine().messages().set_call_handler({handler, argument});
}

void set_wait_teller(OrreryWaitTeller teller) {
  machine().messages().set_wait_teller(teller);
}

OrreryRequest start_call(const OrreryEnvelope* to, const void* data, const char* name,
                         uintptr_t pc) {
  const SourceLocation where = at(pc);
  return machine().messages().start_call(pattern_of(*to), bytes_of(*to, data), name, where,
                                         to->note);
}

void answer_call(uint64_t call, const void* answer, uint64_t size_bytes) {
  machine().messages().answer_call(call, {static_cast<const std::byte*>(answer), size_bytes});
}

// Programs that are functions of the simulation have no memory apart.
void* program_memory(uint64_t /*size_bytes*/) {
  return nullptr;
}

int64_t now() {
  return machine().read_clock_picoseconds(ClockKind::inner);
}

int64_t read_clock(uint32_t kind) {
  static_assert(ORRERY_CLOCK_WTIME == static_cast<uint32_t>(ClockKind::wtime));
  return machine().read_clock_picoseconds(static_cast<ClockKind>(kind));
}

void sleep(int64_t duration_picoseconds, uintptr_t pc) {
  const SourceLocation where = at(pc);
  Operation operation;
  operation.kind = OperationKind::sleep;
  operation.where = &where;
  machine().announce_at(operation,
                        machine().now() + VirtualDuration::from_picoseconds(duration_picoseconds));
  machine().told(operation);
}

void yield(uintptr_t pc) {
  const SourceLocation where = at(pc);
  Operation operation;
  operation.kind = OperationKind::yield;
  operation.where = &where;
  machine().announce(operation);
  machine().poll_failed();
  machine().told(operation);
}

uint64_t draw(uint64_t bound, uintptr_t pc) {
  const SourceLocation where = at(pc);
  Operation operation;
  operation.kind = OperationKind::random;
  operation.where = &where;
  machine().announce(operation);
  const auto answer = machine().choose_value(ChoiceKind::value, 0, bound - 1);
  machine().told(operation, {}, answer);
  return answer;
}

uint64_t left_open(const OrreryLeftOpen* question) {
  static constexpr std::array<std::uint32_t, ORRERY_LEFT_OPEN_MAX> only_the_first{1};
  const std::uint32_t count = question->count;
  detail::ensure(count <= only_the_first.size(), "what is left open has few answers");
  // A replay has the answer of the run that it follows, whatever its own window.
  const bool is_timed =
      machine().options().window == VirtualDuration::zero() && machine().constraint() == nullptr;
  const auto weights = is_timed
                           ? std::span(only_the_first).first(count)
                           : std::span(question->weights, question->weights == nullptr ? 0 : count);
  return machine().choose_left_open({question->answers, count}, weights, question->is_of_run);
}

void collective_begun(const char* operation, const char* algorithm) {
  machine().collective_counts().add(operation, algorithm);
}

int32_t checks_use() {
  return machine().options().mpi_checks == MpiChecks::all ? 1 : 0;
}

void finding(const char* kind, const char* message, uintptr_t pc) {
  auto [known, class_name] = FindingTitle::parse(kind);
  machine().fail_here({known, message, {}, std::move(class_name)}, at(pc));
}

Finding finding_at(const char* kind, const char* message,
                   std::initializer_list<const OrreryPlace*> places) {
  auto [known, class_name] = FindingTitle::parse(kind);
  Finding finding{known, message, {}, std::move(class_name)};
  for (const OrreryPlace* const one : places) {
    if (one == nullptr || one->pc == 0) continue;
    FindingPlace place = machine().place(at(one->pc));
    place.task = machine().process_at(ProcessId{static_cast<std::uint32_t>(one->rank) + 1}).name;
    place.role = one->role;
    finding.where.push_back(std::move(place));
  }
  return finding;
}

int32_t has_receive(const OrreryEnvelope* message) {
  return machine().messages().has_receive(pattern_of(*message)) ? 1 : 0;
}

void finding_between(const char* kind, const char* message, const OrreryPlace* here,
                     const OrreryPlace* there) {
  machine().fail(finding_at(kind, message, {here, there}));
}

void note_finding(const char* kind, const char* message, const OrreryPlace* here,
                  const OrreryPlace* there) {
  machine().note_once(finding_at(kind, message, {here, there}));
}

void finalized() {
  machine().checkpoints().is_done();
  machine().finish_process(machine().running().process);
}

void compute(int64_t duration_picoseconds, uintptr_t pc) {
  machine().compute(VirtualDuration::from_picoseconds(duration_picoseconds), at(pc));
}

uint64_t input(uint64_t measured) {
  return machine().choose_value(ChoiceKind::input, measured, measured);
}

void atomic_begin(void* address, OrreryAtomicAccess access, int32_t order, uint64_t value,
                  uintptr_t pc) {
  machine().program_accesses().begin_atomic(address, access, order, value, pc);
}

void atomic_end(void* address, OrreryAtomicAccess access, int32_t order, uint64_t value,
                uint32_t size_bytes, uintptr_t pc) {
  machine().program_accesses().end_atomic(address, access, order, value, size_bytes, pc);
}

void access_begin(uintptr_t address, uint32_t access, uintptr_t pc) {
  machine().program_accesses().begin_access(address, access, pc);
}

void accesses(const OrreryAccess* all, size_t count) {
  machine().program_accesses().tell(all, count);
}

int32_t wants_accesses() {
  return machine().wants_accesses() ? 1 : 0;
}

void fail_with_code(std::string_view does, int32_t status, uintptr_t pc, const char* role) {
  const std::string& process = machine().process_at(machine().running().process).name;
  Finding finding{FindingKind::exit, fmt::format("{} {} {}", process, does, status), {}};
  finding.exit_code = status;
  machine().fail_here(std::move(finding), at(pc), role);
}

/// Of the process whose thread this is?
bool do_others_run() {
  const detail::Task& own = machine().running();
  for (std::uint32_t i = 0; i < machine().pending().task_count(); ++i) {
    const detail::Task& other = machine().task_at(TaskId{i});
    const bool still_runs = &other != &own && other.process == own.process && !other.has_ended();
    if (still_runs && !other.is_helper) return true;
  }
  return false;
}

/// Others that still run may do something before: that is a step of its own.
void come_to_end_of_process(const SourceLocation& where) {
  if (!do_others_run()) return;
  static_cast<void>(
      machine().announce(detail::operation_on(ObjectId{}, OperationKind::task_end, where)));
}

void exit_process(int32_t status, uintptr_t pc) {
  const SourceLocation where = at(pc);
  come_to_end_of_process(where);
  if (status == 0) {
    machine().end_other_tasks();
    machine().leave_task();
  }
  fail_with_code("exits with status", status, pc, "exits");
}

void abort_job(int32_t status, uintptr_t pc) {
  fail_with_code("aborts the job with status", status, pc, "aborts");
}

void output(int32_t stream, const char* text, size_t size_bytes) {
  machine().write(stream, {text, size_bytes}, {});
}

void usage_error(const char* what, const char* where, const char* hint) {
  machine().fail_with(std::make_exception_ptr(UsageError(what, where, hint)));
}

OrreryRuntime messages_and_time() {
  OrreryRuntime table{};
  table.version = ORRERY_RUNTIME_VERSION;
  table.size_bytes = sizeof(OrreryRuntime);
  table.rank = rank;
  table.rank_count = rank_count;
  table.host_name = host_name;
  table.send = send;
  table.start_send = start_send;
  table.receive = receive;
  table.start_receive = start_receive;
  table.select = select;
  table.inspect = inspect;
  table.payload = payload;
  table.release = release;
  table.cancel = cancel;
  table.probe = probe;
  table.now = now;
  table.read_clock = read_clock;
  table.sleep = sleep;
  table.yield = yield;
  table.draw = draw;
  table.finding = finding;
  table.exit_process = exit_process;
  table.abort_job = abort_job;
  table.output = output;
  table.has_receive = has_receive;
  table.finding_between = finding_between;
  table.finalized = finalized;
  table.compute = compute;
  table.input = input;
  table.atomic_begin = atomic_begin;
  table.atomic_end = atomic_end;
  table.access_begin = access_begin;
  table.accesses = accesses;
  table.wants_accesses = wants_accesses;
  table.usage_error = usage_error;
  table.claim = claim;
  table.start_claimed = start_claimed;
  table.start_event = start_event;
  table.complete_event = complete_event;
  table.set_call_handler = set_call_handler;
  table.set_wait_teller = set_wait_teller;
  table.start_call = start_call;
  table.answer_call = answer_call;
  table.program_memory = program_memory;
  table.note_finding = note_finding;
  table.left_open = left_open;
  table.collective_begun = collective_begun;
  table.checks_use = checks_use;
  return table;
}

}  // namespace

const OrreryRuntime& simulated_runtime() {
  static const OrreryRuntime table = [] {
    OrreryRuntime made = messages_and_time();
    detail::add_threads(made);
    detail::add_loans(made);
    return made;
  }();
  return table;
}

}  // namespace orrery
