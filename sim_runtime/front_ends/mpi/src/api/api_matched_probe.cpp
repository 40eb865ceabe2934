// MPI 3.1, section 3.8: probes, and receives of what they have matched.
#include "messages/requests.hpp"

using namespace orrery::mpi;

namespace {

struct Probe {
  Communicator* communicator = nullptr;
  int source = 0;
  OrreryEnvelope pattern{};
};

int check_probe(const Call& call, int source, int tag, MPI_Comm comm, Probe& probe) {
  if (const int error = call.check_communicator(comm, probe.communicator)) return error;
  if (const int error = call.check_source(*probe.communicator, source)) return error;
  if (const int error = call.check_receive_tag(*probe.communicator, tag)) return error;
  probe.source = source;
  if (source != MPI_PROC_NULL) probe.pattern = pattern_of(*probe.communicator, source, tag);
  return MPI_SUCCESS;
}

// What both kinds of probe make of the machine's answer.
int tell_found(const Call& call, const Probe& probe, const OrreryEnvelope& found, int* flag,
               MPI_Status* status) {
  if (*flag < 0) {
    *flag = 0;
    return call.fail_connection(*probe.communicator, probe.source);
  }
  if (*flag != 0) fill_status(*probe.communicator, found, status);
  return MPI_SUCCESS;
}

int look(const Call& call, int source, int tag, MPI_Comm comm, bool poll, int* flag,
         MPI_Status* status) {
  Probe probe;
  if (const int error = check_probe(call, source, tag, comm, probe)) return error;
  if (const int error = call.check_result(flag, "flag")) return error;
  *flag = 1;
  if (source == MPI_PROC_NULL) {
    fill_null_process_status(status);
    return MPI_SUCCESS;
  }
  OrreryEnvelope found{};
  *flag = call.table.probe(&probe.pattern, poll ? 1 : 0, &found, call.pc);
  return tell_found(call, probe, found, flag, status);
}

int take(const Call& call, int source, int tag, MPI_Comm comm, bool poll, int* flag,
         MPI_Message* message, MPI_Status* status) {
  Probe probe;
  if (const int error = check_probe(call, source, tag, comm, probe)) return error;
  if (const int error = call.check_result(flag, "flag")) return error;
  if (const int error = call.check_result(message, "message")) return error;
  *flag = 1;
  *message = MPI_MESSAGE_NO_PROC;
  if (source == MPI_PROC_NULL) {
    fill_null_process_status(status);
    return MPI_SUCCESS;
  }
  *message = MPI_MESSAGE_NULL;
  OrreryEnvelope found{};
  OrreryRequest id = 0;
  *flag = call.table.claim(&probe.pattern, poll ? 1 : 0, &found, &id, call.pc);
  if (*flag > 0) {
    MatchedMessage* const taken = call.state.messages.create();
    taken->id = id;
    taken->communicator = probe.communicator;
    taken->peer = probe.communicator->peers().rank_of(found.source);
    taken->tag = found.tag;
    taken->call = call.name;
    taken->pc = call.pc;
    ++probe.communicator->references;
    *message = taken;
  }
  return tell_found(call, probe, found, flag, status);
}

// The message behind a handle, and where it is to be received; null for
// MPI_MESSAGE_NO_PROC.
int check_message(const Call& call, void* buf, int count, MPI_Datatype datatype,
                  MPI_Message* handle, MatchedMessage*& message, Transfer& transfer) {
  if (const int error = call.check_result(handle, "message")) return error;
  message = nullptr;
  if (call.state.messages.contains(*handle)) {
    message = *handle;
  } else {
    const auto header = find_predefined(*handle, HandleKind::message);
    const bool is_null =
        header && static_cast<PredefinedMessage>(header->index) == PredefinedMessage::null;
    if (is_null || !header)
      return call.fail(nullptr, MPI_ERR_REQUEST, "argument message is %s (MPI 3.1, section 3.8.3)",
                       is_null                             ? "MPI_MESSAGE_NULL"
                       : call.state.messages.owns(*handle) ? "a message that was received before"
                                                           : "no message of a matched probe");
  }
  const Communicator* const communicator = message == nullptr ? nullptr : message->communicator;
  if (const int error = call.check_data(communicator, buf, count, datatype, "buf", transfer.type))
    return error;
  transfer.count = static_cast<std::size_t>(count);
  if (const int error =
          call.check_no_overlap(communicator, *transfer.type, transfer.count, "datatype"))
    return error;
  transfer.buffer = buf;
  transfer.communicator = message == nullptr ? &call.state.world : message->communicator;
  transfer.peer = message == nullptr ? MPI_PROC_NULL : message->peer;
  transfer.tag = message == nullptr ? MPI_ANY_TAG : message->tag;
  return MPI_SUCCESS;
}

// Begins the receive of the message; its handle is gone.
OrreryRequest start_matched(const Call& call, MPI_Message* handle, MatchedMessage* message) {
  *handle = MPI_MESSAGE_NULL;
  if (message == nullptr) return 0;
  const OrreryRequest id = message->id;
  call.state.messages.destroy(message);
  call.table.start_claimed(id, call.pc);
  return id;
}

}  // namespace

ORRERY_MPI_API int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status* status) {
  int flag = 0;
  return look(ORRERY_CALL("MPI_Probe"), source, tag, comm, false, &flag, status);
}
ORRERY_PROFILED(MPI_Probe);

ORRERY_MPI_API int MPI_Iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  return look(ORRERY_CALL("MPI_Iprobe"), source, tag, comm, true, flag, status);
}
ORRERY_PROFILED(MPI_Iprobe);

ORRERY_MPI_API int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message* message,
                              MPI_Status* status) {
  int flag = 0;
  return take(ORRERY_CALL("MPI_Mprobe"), source, tag, comm, false, &flag, message, status);
}
ORRERY_PROFILED(MPI_Mprobe);

ORRERY_MPI_API int MPI_Improbe(int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message,
                               MPI_Status* status) {
  return take(ORRERY_CALL("MPI_Improbe"), source, tag, comm, true, flag, message, status);
}
ORRERY_PROFILED(MPI_Improbe);

ORRERY_MPI_API int MPI_Mrecv(void* buf, int count, MPI_Datatype datatype, MPI_Message* message,
                             MPI_Status* status) {
  const Call call = ORRERY_CALL("MPI_Mrecv");
  MatchedMessage* matched = nullptr;
  Transfer transfer;
  if (const int error = check_message(call, buf, count, datatype, message, matched, transfer))
    return error;
  const OrreryRequest id = start_matched(call, message, matched);
  if (id == 0) {
    fill_null_process_status(status);
    return MPI_SUCCESS;
  }
  std::int32_t index = 0;
  call.table.select(&id, 1, ORRERY_SELECT_ALL, &index, call.pc);
  const int error = finish_receive(call, transfer, id, status);
  release(call.state, *transfer.communicator);
  return error;
}
ORRERY_PROFILED(MPI_Mrecv);

ORRERY_MPI_API int MPI_Imrecv(void* buf, int count, MPI_Datatype datatype, MPI_Message* message,
                              MPI_Request* request) {
  const Call call = ORRERY_CALL("MPI_Imrecv");
  MatchedMessage* matched = nullptr;
  Transfer transfer;
  if (const int error = call.check_result(request, "request")) return error;
  if (const int error = check_message(call, buf, count, datatype, message, matched, transfer))
    return error;
  const OrreryRequest id = start_matched(call, message, matched);
  *request = make_request(call, transfer, id, RequestKind::receive)->handle;
  if (matched != nullptr) release(call.state, *transfer.communicator);
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Imrecv);
