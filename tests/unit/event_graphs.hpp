// Graphs of small programs, and what each export makes of them.
#pragma once

#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <orrery/replay_core/event_exports.hpp>
#include <orrery/replay_core/event_graph.hpp>
#include <orrery/replay_core/event_stream.hpp>
#include <orrery/replay_core/undisturbed_chooser.hpp>
#include <orrery/sim_runtime/orrery.hpp>

namespace orrery::test {

/// One run's graph, and all of its events.
struct GraphedRun {
  EventGraph graph;
  std::vector<Event> events;
  Outcome outcome;
};

inline GraphedRun graph_of(const Program& program) {
  EventGraphObserver watching({.marks_races = true, .keeps_knowledge = true});
  EventStream stream;
  Observer* const observers[] = {&watching, &stream};
  UndisturbedChooser chooser;
  Simulation simulation{SimulationOptions{}};
  GraphedRun run;
  run.outcome = simulation.run(program, chooser, observers);
  run.graph = watching.graph();
  for (const EventStream::Entry& entry : stream.entries()) run.events.push_back(entry.event);
  return run;
}

/// A text format.
inline std::string exported(const EventGraph& graph, std::string_view format) {
  std::FILE* const file = std::tmpfile();
  write_export(event_export(format), graph, fileno(file));
  std::fseek(file, 0, SEEK_END);
  std::string text(static_cast<std::size_t>(std::ftell(file)), '\0');
  std::rewind(file);
  const std::size_t size = std::fread(text.data(), 1, text.size(), file);
  text.resize(size);
  std::fclose(file);
  return text;
}

inline constexpr const char* hostile_name = "a \"quoted\"\n<script>, \xc3\xa9t\xc3\xa9";

/// Both other ranks send to the first, which takes what comes, or asks for one after the other;
/// then it answers.  The wait for the answer takes time, and so does computing.
inline Program gathered(bool takes_any) {
  return [takes_any](World& world) {
    world.ranks(3, [&](Communicator& comm) {
      if (comm.rank() != 0) {
        comm.send(0, 7, comm.rank());
        (void)comm.receive<int>(0, 8);
        return;
      }
      world.compute(1e6);
      for (int from = 1; from < 3; ++from) {
        (void)comm.receive<int>(takes_any ? any_source : from, 7);
      }
      for (int to = 1; to < 3; ++to) comm.send(to, 8, 1);
    });
  };
}

/// Threads that meet at a mutex and a condition, with names that every format must escape.
inline void meeting(World& world) {
  Mutex mutex(world, hostile_name);
  ConditionVariable condition(world, "there");
  bool is_there = false;
  const Thread waiter = world.thread(hostile_name, [&] {
    Lock lock(mutex);
    while (!is_there) condition.wait(lock);
  });
  const Thread other = world.thread("other", [&] {
    world.sleep_for(std::chrono::microseconds(5));
    mutex.lock();
    is_there = true;
    condition.notify_all();
    mutex.unlock();
  });
}

/// Nobody ever sends what the first rank waits for.
inline void stuck(World& world) {
  world.ranks(2, [&](Communicator& comm) {
    if (comm.rank() == 0) (void)comm.receive<int>(1, 7);
    if (comm.rank() == 1) world.sleep_for(std::chrono::microseconds(5));
  });
}

}  // namespace orrery::test
