#include "recorded_threads.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

#include <fmt/format.h>

#include <orrery/network_model/usage_error.hpp>
#include <orrery/replay_core/thread_spool.hpp>

#include "log/byte_cursor.hpp"
#include "log/whole_file.hpp"
#include "recorded_death.hpp"
#include "spool_files.hpp"
#include "spool_header.hpp"

namespace orrery::detail {
namespace {

using thread_spool::Record;

/// Tasks of a simulated program: the first one makes the process, whose first thread is next.
TaskId task_of(std::uint32_t thread) {
  return TaskId{thread + 1};
}

static_assert(LamportRecords::Found::all == TaskId{thread_spool::many_threads},
              "who shares a number is not waited for alone");

/// Puts a thread's records together again.
class ThreadReader {
 public:
  ThreadReader(std::span<const std::byte> bytes, std::string_view where, RecordedThread& thread)
      : in_(bytes, where), thread_(thread) {}

  void read(const thread_spool::Header& header) {
    while (!in_.at_end()) read_record();
    // A thread that was killed had written of an operation before it was over.
    LamportRecords::Task& stamps = thread_.stamps;
    const auto is_beyond = [&](std::uint64_t operation) { return operation >= stamps.operations; };
    const auto tells_of_beyond = [&](const auto& record) { return is_beyond(record.operation); };
    std::erase_if(stamps.marks, tells_of_beyond);
    std::erase_if(stamps.found, tells_of_beyond);
    std::erase_if(stamps.accesses, tells_of_beyond);
    std::erase_if(stamps.polls, tells_of_beyond);
    std::erase_if(stamps.timeouts, is_beyond);
    std::erase_if(stamps.onces, is_beyond);
    if (header.polls.count > 0) add_last_polls(header);
  }

 private:
  /// Those that the thread was at when it ended.
  void add_last_polls(const thread_spool::Header& header) {
    LamportRecords::Task& stamps = thread_.stamps;
    const std::uint64_t operation = stamps.operations++;
    const std::uint64_t last_stamp = header.operations.state().last_stamp;
    const thread_spool::Polls& polls = header.polls.state();
    stamps.kinds_hash = polls.kinds_hash;
    const bool has_versions = !stamps.accesses.empty();
    if (has_versions) stamps.accesses.push_back({operation, polls.after, polls.found, false});
    if (!has_versions && polls.after != 0 && polls.after != thread_.number + 1) {
      const auto ahead = static_cast<std::int64_t>(polls.found - last_stamp);
      stamps.found.push_back({operation, ahead, task_of(polls.after - 1)});
    }
    if (!has_versions && polls.stamp > last_stamp + 1) {
      stamps.marks.push_back({operation, static_cast<std::int64_t>(polls.stamp - last_stamp - 1)});
    }
    if (header.polls.count > 1) stamps.polls.push_back({operation, header.polls.count - 1});
  }

  void read_record() {
    const std::uint64_t first = in_.varint();
    const std::uint64_t number = first >> rank_spool::kind_bits;
    const auto kind = static_cast<Record>(first & ((1U << rank_spool::kind_bits) - 1));
    if (kind == Record::reading) return read_reading(number);
    operation_ += number;
    LamportRecords::Task& stamps = thread_.stamps;
    switch (kind) {
      case Record::ahead: {
        const std::uint64_t ahead = in_.varint();
        if (!stamps.marks.empty() && stamps.marks.back().operation == operation_) {
          if (stamps.found.empty() || stamps.found.back().operation != operation_) {
            in_.fail("an operation with two stamps");
          }
          stamps.marks.pop_back();
        }
        stamps.marks.push_back({operation_, static_cast<std::int64_t>(ahead)});
        return;
      }
      case Record::found: {
        const std::int64_t ahead = in_.zigzag();
        const std::uint64_t thread = in_.varint();
        if (thread >= thread_spool::many_threads) in_.fail("a thread that there is not");
        stamps.found.push_back({operation_, ahead, task_of(static_cast<std::uint32_t>(thread))});
        if (ahead > 0) stamps.marks.push_back({operation_, ahead});
        return;
      }
      case Record::access: {
        const std::uint64_t object = in_.varint();
        const std::uint64_t version = in_.varint();
        if (object >> 32U != 0) in_.fail("an object that there is not");
        stamps.accesses.push_back(
            {operation_, static_cast<std::uint32_t>(object >> 1U), version, (object & 1U) != 0});
        return;
      }
      case Record::polls: stamps.polls.push_back({operation_, in_.varint()}); return;
      case Record::timeout: stamps.timeouts.push_back(operation_); return;
      case Record::once: stamps.onces.push_back(operation_); return;
      default: in_.fail("a record of an unknown kind");
    }
  }

  void read_reading(std::uint64_t clock) {
    if (clock >= clock_kinds) in_.fail("a clock that there is not");
    RankReadings& readings = thread_.readings;
    if (clock == 0) {
      readings.draws.push_back(in_.varint());
      return;
    }
    const std::int64_t step_ns = in_.zigzag();
    readings.clocks[static_cast<std::size_t>(clock)].push_back({step_ns, in_.varint()});
  }

  ByteReader in_;
  RecordedThread& thread_;
  std::uint64_t operation_ = 0;
};

/// Nothing: it was killed while it made its file.
std::optional<thread_spool::Header> thread_header_in(std::span<const std::byte> bytes) {
  if (bytes.size() < rank_spool::header_bytes) return {};
  thread_spool::Header header{};
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.common.magic_number != rank_spool::magic) return {};
  return header;
}

/// Returns how many threads the process has started, where it is the first one that tells.
std::uint32_t read_thread(const std::string& path, RecordedJob& job) {
  const std::vector<std::byte> bytes = read_whole_file(path);
  const auto header = thread_header_in(bytes);
  if (!header) return 0;
  RecordedThread thread;
  thread.number = header->common.rank;
  thread.starter = header->starter;
  thread.handle = header->handle;
  thread.system_number = header->system_number;
  thread.has_arena = header->has_arena != 0;
  thread.are_blocks_told = header->are_blocks_told != 0;
  thread.cancelled_at = header->cancelled_at;
  thread.handlers = header->handlers;
  thread.stamps.task = task_of(thread.number);
  thread.stamps.operations = header->operations.count;
  thread.stamps.kinds_hash = header->operations.state().kinds_hash;
  ThreadReader(records_of(header->common, bytes, path), path, thread).read(*header);
  add_last_dates(header->common, thread.readings);
  thread.readings.task = thread.stamps.task;
  job.threads.push_back(std::move(thread));
  if (header->common.cut != 0) job.thread_gaps |= thread_spool::disk_full;
  if (header->common.rank != 0) return 0;
  job.ranks = {rank_of(header->common)};
  if (job.ranks.front().end == rank_spool::End::signalled) {
    job.ranks.front().death = read_last_words(path, job.program_path);
  }
  job.thread_gaps |= header->gaps;
  for (std::size_t i = 0; i < thread_spool::unseen_calls.size(); ++i) {
    if ((header->unseen_calls >> i & 1U) == 0) continue;
    job.unseen_calls.push_back(thread_spool::unseen_calls[i]);
  }
  return header->started;
}

}  // namespace

bool read_recorded_threads(const std::string& directory, RecordedJob& job) {
  std::uint32_t started = 0;
  for (const std::string& path : spool_files(directory, thread_spool::thread_file_prefix)) {
    started = std::max(started, read_thread(path, job));
  }
  std::ranges::sort(job.threads, {}, &RecordedThread::number);
  // One that came to be while the process was killed; later ones were started by it, or not at all.
  for (std::size_t i = 0; i < job.threads.size(); ++i) {
    if (job.threads[i].number == i) continue;
    job.threads.resize(i);
    job.thread_gaps |= thread_spool::threads_unrecorded;
  }
  // Or whose file is gone.
  if (!job.threads.empty() && started >= job.threads.size())
    job.thread_gaps |= thread_spool::threads_unrecorded;
  return !job.threads.empty();
}

std::string thread_name(const RecordedJob& job, const RecordedRank& process) {
  if (job.threads.size() == 1) return "the program";
  return process.end_thread == 0 ? "the first thread"
                                 : fmt::format("thread {}", process.end_thread + 1);
}

std::vector<std::string> thread_gap_lines(const RecordedJob& job) {
  std::vector<std::string> lines;
  const auto add = [&](thread_spool::Gap gap, std::string_view line) {
    if ((job.thread_gaps & gap) != 0) lines.emplace_back(line);
  };
  add(thread_spool::too_many_objects,
      "it uses more than a million locks at different places; what it did after that is missing");
  add(thread_spool::threads_unrecorded,
      "a thread could not be recorded; what came after its start is missing");
  add(thread_spool::memory_unrecorded,
      "what a thread did in memory is missing: its file was gone or damaged");
  add(thread_spool::too_many_variables,
      "the program uses more than two gigabytes of memory; what came after that is missing");
  add(thread_spool::too_many_writes,
      "a word of memory (by global-writes: all memory) was written more than 17 million million "
      "times; what came after that is missing");
  add(thread_spool::memory_of_libraries,
      "orrery cc has built libraries of the program, whose accesses to memory were not seen: link "
      "them statically");
  add(thread_spool::disk_full, "the file of a thread could not grow: is the disk full?");
  return lines;
}

std::vector<std::string> thread_remark_lines(const RecordedJob& job) {
  std::vector<std::string> lines;
  const auto add = [&](thread_spool::Gap gap, std::string_view line) {
    if ((job.thread_gaps & gap) != 0) lines.emplace_back(line);
  };
  if (!job.unseen_atomics.empty()) {
    constexpr std::size_t shown_max = 4;
    const std::size_t shown = std::min(job.unseen_atomics.size(), shown_max);
    const std::string more =
        shown < job.unseen_atomics.size()
            ? fmt::format(" and {} more functions", job.unseen_atomics.size() - shown)
            : "";
    lines.push_back(fmt::format(
        "atomics that are instructions of the program are not in the log, nor in which order they "
        "came: in {}{}; build it with orrery cc",
        fmt::join(job.unseen_atomics.begin(),
                  job.unseen_atomics.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
        more));
  }
  if ((job.thread_gaps & thread_spool::atomics_seen) == 0) {
    add(thread_spool::futexes,
        "the program waits on words of memory (futex, std::atomic::wait), which it changes by "
        "instructions of its own: in which order is not in the log; build it with orrery cc");
  }
  add(thread_spool::unseen_cancellation,
      "a thread was cancelled, but not in a function that waits (or asynchronously): where is not "
      "in "
      "the log");
  add(thread_spool::handlers_ran,
      "the program has handled signals: between which of a thread's operations is not in the log, "
      "unless it waited for them, sent or unblocked them there");
  add(thread_spool::tries_to_join,
      "the program looks whether threads have ended (pthread_tryjoin_np): what it saw is not in "
      "the "
      "log");
  add(thread_spool::shared_objects,
      "the program synchronises with other processes: what those do is not in the log");
  add(thread_spool::shared_memory,
      "the program maps memory that other processes may write to (mmap, shmat): what these write "
      "there while it runs is not in the log");
  add(thread_spool::addresses_unkept,
      "there were not addresses enough for the memory of all threads: a program that goes by where "
      "its blocks lie may part from the log");
  if (!job.unseen_calls.empty()) {
    lines.push_back(
        fmt::format("the program calls {}: what comes of that is not in the log, and a replay ends "
                    "there",
                    fmt::join(job.unseen_calls, ", ")));
  }
  add(thread_spool::other_processes, "the program makes processes: they are not in the log");
  return lines;
}

}  // namespace orrery::detail
