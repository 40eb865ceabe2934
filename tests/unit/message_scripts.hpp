// Random small programs that pass messages, each operation on a line of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <orrery/sim_runtime/orrery.hpp>

namespace orrery::test {

/// One operation of a rank; its line tells it from all others.
struct Step {
  enum class Kind : std::uint8_t { send, receive, start_receive, wait };
  Kind kind = Kind::send;
  std::int32_t peer = any_source;
  std::int32_t tag = any_tag;
  std::size_t started = 0;  ///< of `wait`: the step that started the receive
};
using Script = std::vector<std::vector<Step>>;  // by rank

inline constexpr std::size_t steps_max = 16;

inline int line_of(std::size_t rank, std::size_t step) {
  return static_cast<int>(rank * steps_max + step + 1);
}

inline SourceLocation place(std::size_t rank, std::size_t step) {
  SourceLocation where;
  where.file = "script";
  where.function = "";
  where.line = static_cast<std::uint32_t>(line_of(rank, step));
  return where;
}

inline void act(Communicator& comm, const std::vector<Step>& steps) {
  const auto rank = static_cast<std::size_t>(comm.rank());
  std::map<std::size_t, Request> requests;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Step& step = steps[i];
    const SourceLocation where = place(rank, i);
    switch (step.kind) {
      case Step::Kind::send: comm.send(step.peer, step.tag, 0, SendMode::standard, where); break;
      case Step::Kind::receive: comm.receive<int>(step.peer, step.tag, where); break;
      case Step::Kind::start_receive:
        requests[i] = comm.start_receive(step.peer, step.tag, where);
        break;
      case Step::Kind::wait:
        requests[step.started].wait(where);
        static_cast<void>(requests[step.started].take_payload());
        break;
    }
  }
}

inline Program program_of(const Script& script) {
  return [script](World& world) {
    world.ranks(static_cast<std::int32_t>(script.size()), [&](Communicator& comm) {
      act(comm, script[static_cast<std::size_t>(comm.rank())]);
    });
  };
}

inline std::string text_of(const Script& script) {
  std::string text;
  for (const auto& steps : script) {
    for (const Step& step : steps) {
      constexpr const char* names[] = {"send", "receive", "start", "wait"};
      text += std::string(names[static_cast<int>(step.kind)]) + "(" + std::to_string(step.peer) +
              "," + std::to_string(step.tag) + "," + std::to_string(step.started) + ") ";
    }
    text += "\n";
  }
  return text;
}

/// Two or three senders and rank 0, which mostly receives; some have to be told before they send.
inline Script random_script(std::mt19937& chance) {
  const auto below = [&](unsigned bound) { return static_cast<int>(chance() % bound); };
  Script script(static_cast<std::size_t>(3 + below(2)));
  int messages = 0;
  for (std::size_t rank = 1; rank < script.size(); ++rank) {
    const bool is_told = below(3) == 0;
    if (is_told) script[rank].push_back({Step::Kind::receive, 0, 3});
    const int count = 1 + below(script.size() == 3 ? 2 : 1);
    for (int i = 0; i < count; ++i, ++messages) {
      script[rank].push_back({Step::Kind::send, 0, below(2)});
    }
  }
  std::vector<Step>& first = script[0];
  std::vector<std::int32_t> to_tell;
  for (std::size_t rank = 1; rank < script.size(); ++rank) {
    if (script[rank][0].kind == Step::Kind::receive) {
      to_tell.push_back(static_cast<std::int32_t>(rank));
    }
  }
  std::vector<std::size_t> started;
  const auto tell_one = [&] {
    if (to_tell.empty()) return;
    first.push_back({Step::Kind::send, to_tell.back(), 3});
    to_tell.pop_back();
  };
  for (int i = 0; i < messages; ++i) {
    if (below(2) == 0) tell_one();
    const std::int32_t source =
        below(3) == 0 ? 1 + below(static_cast<unsigned>(script.size() - 1)) : any_source;
    const std::int32_t tag = below(3) == 0 ? below(2) : any_tag;
    const bool is_started = below(2) == 0;
    if (is_started) started.push_back(first.size());
    first.push_back({is_started ? Step::Kind::start_receive : Step::Kind::receive, source, tag});
    if (!started.empty() && below(2) == 0) {
      first.push_back({Step::Kind::wait, any_source, any_tag, started.front()});
      started.erase(started.begin());
    }
  }
  while (!to_tell.empty()) tell_one();
  for (const std::size_t one : started) {
    first.push_back({Step::Kind::wait, any_source, any_tag, one});
  }
  return script;
}

}  // namespace orrery::test
