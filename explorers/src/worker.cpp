#include "worker.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include <orrery/network_model/usage_error.hpp>

#include "finding_json.hpp"
#include "recording.hpp"
#include "snapshot.hpp"

namespace orrery::detail {
namespace {

constexpr std::uint64_t runs_between_looks = 256;

std::uint64_t resident_bytes() {
  std::FILE* const file = std::fopen("/proc/self/statm", "re");
  if (file == nullptr) return 0;
  unsigned long long whole = 0;
  unsigned long long resident = 0;
  const int read = std::fscanf(file, "%llu %llu", &whole, &resident);
  std::fclose(file);
  return read == 2 ? resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) : 0;
}

/// When should another process take over?
class Retirement {
 public:
  explicit Retirement(const ExploreOptions& options)
      : options_(options), bytes_at_start_(resident_bytes()) {}

  [[nodiscard]] bool is_due() {
    if (!options_.isolate) return false;
    ++runs_;
    if (options_.runs_per_worker != 0 && runs_ >= options_.runs_per_worker) return true;
    if (runs_ % runs_between_looks != 0) return false;
    return resident_bytes() > bytes_at_start_ + options_.worker_growth_bytes;
  }

 private:
  const ExploreOptions& options_;
  std::uint64_t bytes_at_start_;
  std::uint64_t runs_ = 0;
};

RunRecord record_of(const Outcome& outcome, std::uint64_t schedule_hash, bool keep_going) {
  RunRecord record;
  record.schedule_hash = schedule_hash;
  record.steps = outcome.steps;
  record.end_ns = outcome.end.nanoseconds();
  put_keys(told_apart(outcome, keep_going), record);
  if (outcome.status == Outcome::Status::abandoned) record.flags |= RunRecord::abandoned;
  if (outcome.status == Outcome::Status::limit) {
    record.flags |= RunRecord::limited;
    record.limit = static_cast<std::uint32_t>(outcome.limit);
  }
  return record;
}

class Worker {
 public:
  Worker(const SearchContext& context, std::uint32_t number, WorkerBlock& block,
         std::span<std::byte> recording, const WorkerPort& port)
      : context_(context),
        number_(number),
        block_(block),
        port_(port),
        session_(context.setup, context.program, recording),
        chooser_(context.strategy.chooser(context.walk)),
        retirement_(context.options) {}

  void work() {
    if (context_.options.snapshot) return work_from_snapshot();
    for (auto index = first(); index; index = context_.block.take(number_)) {
      if (!do_run(*index)) break;
      if (retirement_.is_due()) {
        block_.state = WorkerBlock::State::wants_replacement;
        return;
      }
      if (port_.between_runs) port_.between_runs();
    }
    block_.state = WorkerBlock::State::finished;
  }

 private:
  std::optional<std::uint64_t> first() {
    if (block_.first_plus_one != 0) return block_.first_plus_one - 1;
    return context_.block.take(number_);
  }

  void work_from_snapshot() {
    std::optional<std::uint64_t> index = first();
    if (!index) {
      block_.state = WorkerBlock::State::finished;
      return;
    }
    SnapshotChooser chooser(*chooser_);
    SnapshotServer server = make_server();
    context_.options.snapshot->arm([&] {
      index = server.serve(*index);
      chooser.hand_over(*index);
    });
    begin(*index);
    const Outcome outcome = session_.run(chooser, context_.options.seed, 0);
    if (!server.is_in_run()) refuse_to_miss_snapshot(outcome);
    publish(outcome, *index);
    if (server.is_in_run()) return;
    // However often it is done, it ends before the snapshot.
    context_.block.lower_stop(*index + 1);
    block_.state = WorkerBlock::State::finished;
  }

  SnapshotServer make_server() {
    SnapshotServer::Port port;
    port.next_run = [this] {
      const auto index = context_.block.take(number_);
      if (!index) block_.state = WorkerBlock::State::finished;
      return index;
    };
    port.begin = [this](std::uint64_t index) { begin(index); };
    port.complain = [this] {
      const std::string problem = std::string("cannot fork: ") + std::strerror(errno);
      port_.send({{{"error", {problem, "explore", "use fewer jobs, or raise ulimit -u"}}}, {}});
      block_.state = WorkerBlock::State::gave_up;
    };
    port.is_over = [this] { return block_.state == WorkerBlock::State::gave_up; };
    return SnapshotServer(std::move(port));
  }

  void refuse_to_miss_snapshot(const Outcome& outcome) const {
    if (outcome.status != Outcome::Status::clean) return;
    throw UsageError(fmt::format("the program ended, and nobody had called the function '{}'",
                                 context_.options.snapshot->name),
                     "--snapshot-at", "name one that every run comes to, and that was not inlined");
  }

  void begin(std::uint64_t index) {
    block_.runs_begun.fetch_add(1, std::memory_order_relaxed);
    block_.run_plus_one.store(index + 1);
  }

  /// Returns false at the end of a walk.
  bool do_run(std::uint64_t index) {
    begin(index);
    return publish(session_.run(*chooser_, context_.options.seed, index), index);
  }

  bool publish(const Outcome& outcome, std::uint64_t index) {
    RunRecord record = record_of(outcome, session_.schedule_hash(), context_.options.keep_going);
    if (context_.options.suppressed) note_suppressed(context_.options.suppressed(), record);
    if (record.finding_key != 0 || (record.flags & RunRecord::limited) != 0) {
      tell(index, outcome, record);
    }
    if (index == 0) port_.send({{{"first_output", outcome.output}}, {}});
    const bool goes_on = !context_.strategy.is_walk() || move_walk();
    if (!goes_on) record.flags |= RunRecord::walk_ended;
    if (!goes_on) context_.block.lower_stop(index + 1);
    const bool has_faults = !context_.options.simulation.faults.is_empty();
    context_.block.results.publish(index, record, has_faults ? &outcome.faults : nullptr);
    block_.run_plus_one.store(0);
    block_.is_walk_moving.store(false, std::memory_order_relaxed);
    return goes_on;
  }

  static void note_suppressed(const std::vector<std::uint64_t>& by_rule, RunRecord& record) {
    std::size_t noted = 0;
    for (std::size_t i = 0; i < by_rule.size() && noted < RunRecord::rules_max; ++i) {
      if (by_rule[i] == 0) continue;
      record.suppressed[noted++] = {static_cast<std::uint32_t>(i),
                                    static_cast<std::uint32_t>(by_rule[i])};
    }
  }

  /// Whoever is killed meanwhile leaves a walk from which the run can be done again.
  bool move_walk() {
    const std::size_t bytes = context_.strategy.walk_bytes_used(context_.walk);
    std::memcpy(context_.walk_backup.data(), context_.walk.data(), bytes);
    block_.is_walk_moving.store(true);
    return context_.strategy.next(context_.walk);
  }

  void tell(std::uint64_t index, const Outcome& outcome, const RunRecord& record) {
    const bool is_finding = record.finding_key != 0;
    if (is_finding && !context_.options.keep_going) context_.block.lower_stop(index + 1);
    bool is_new = !is_finding ? told_limits_.insert(record.limit).second
                              : told_findings_.insert(record.finding_key).second;
    for (const std::uint64_t race : record.other_races) {
      if (race != 0 && told_findings_.insert(race).second) is_new = true;
    }
    if (is_new) port_.send(found_message(index, outcome, session_.schedule()));
  }

  const SearchContext& context_;
  std::uint32_t number_;
  WorkerBlock& block_;
  const WorkerPort& port_;
  RunSession session_;
  std::unique_ptr<Chooser> chooser_;
  Retirement retirement_;
  std::set<std::uint64_t> told_findings_;
  std::set<std::uint32_t> told_limits_;
};

}  // namespace

std::vector<const Finding*> told_apart(const Outcome& outcome, bool keep_going) {
  std::vector<const Finding*> apart;
  for (const Finding& one : outcome.findings) {
    const bool is_wanted = apart.empty() || (keep_going && one.kind == FindingKind::data_race);
    const bool is_known =
        std::ranges::any_of(apart, [&](const Finding* other) { return other->key() == one.key(); });
    if (is_wanted && !is_known && apart.size() <= RunRecord::races_max) apart.push_back(&one);
  }
  return apart;
}

void put_keys(const std::vector<const Finding*>& findings, RunRecord& record) {
  if (findings.empty()) return;
  record.finding_key = findings.front()->key();
  for (std::size_t i = 1; i < findings.size(); ++i) record.other_races[i - 1] = findings[i]->key();
}

Message found_message(std::uint64_t run_index, const Outcome& outcome, const Schedule& schedule) {
  Message message{{{"index", run_index},
                   {"findings", to_json(outcome.findings)},
                   {"limit", static_cast<unsigned>(outcome.limit)},
                   {"output", outcome.output}},
                  to_bytes(schedule)};
  if (outcome.spins_at) message.value["at"] = to_json(*outcome.spins_at);
  return message;
}

void do_runs(const SearchContext& context, std::uint32_t number, WorkerBlock& worker,
             std::span<std::byte> recording, const WorkerPort& port) {
  Worker(context, number, worker, recording, port).work();
}

}  // namespace orrery::detail
