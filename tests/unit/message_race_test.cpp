// Message races: a program in which the order of messages matters, and its twin in which it does
// not, or in which there is none.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <orrery/explorers/explorer.hpp>
#include <orrery/replay_core/detectors.hpp>
#include <orrery/sim_runtime/orrery.hpp>

#include "message_races.hpp"

namespace orrery {
namespace {

using test::Races;
using test::races_in;

World* world_of_run = nullptr;

Program ranks(std::int32_t count, std::function<void(Communicator&)> body) {
  return [count, body = std::move(body)](World& world) {
    world_of_run = &world;
    world.ranks(count, body);
  };
}

/// Every rank but 0 sends its own number there.
Program all_send_to_first(std::int32_t count, std::function<void(Communicator&)> first) {
  return ranks(count, [first = std::move(first)](Communicator& comm) {
    if (comm.rank() == 0) return first(comm);
    comm.send(0, 0, comm.rank());
  });
}

void write(const std::string& text) {
  world_of_run->write(text + "\n");
}

void check_harmful(const Program& program, const std::string& difference,
                   const std::string& class_name = "harmful") {
  const Races races = races_in(program);
  INFO(races.text());
  REQUIRE_FALSE(races.findings.empty());
  CHECK(races.findings.front().kind == FindingKind::message_race);
  CHECK(races.findings.front().class_name == class_name);
  CHECK_THAT(races.findings.front().message, Catch::Contains(difference));
}

void check_benign(const Program& program) {
  const Races races = races_in(program);
  INFO(races.text());
  CHECK(races.findings.empty());
  REQUIRE_FALSE(races.remarks.empty());
  for (const Finding& remark : races.remarks) CHECK(remark.class_name == "benign");
}

void check_none(const Program& program) {
  const Races races = races_in(program);
  INFO(races.text());
  CHECK(races.findings.empty());
  CHECK(races.remarks.empty());
}

/// Of so many runs, whatever they come to; 0: until something is found.
Report search(const Program& program, std::uint64_t runs) {
  const std::shared_ptr<Detector> detector = make_detector("message_race");
  ExploreOptions options;
  options.save_logs = false;
  options.keep_going = runs != 0;
  if (runs != 0) options.runs = runs;
  options.observers = [detector] { return std::vector<Observer*>{detector.get()}; };
  options.observer_findings = [detector] { return detector->findings(); };
  options.examine = [detector](Reruns& reruns) { detector->examine(reruns); };
  options.other_run = [detector] { return detector->other_run(); };
  return explore(options, program);
}

}  // namespace

TEST_CASE("who is first makes a difference where it is written down, and not where it is not") {
  check_harmful(all_send_to_first(3,
                                  [](Communicator& comm) {
                                    const int first = comm.receive<int>().value;
                                    comm.receive<int>();
                                    write("first: " + std::to_string(first));
                                  }),
                "has rank 0 write \"first: ");
  check_benign(all_send_to_first(3, [](Communicator& comm) {
    const int sum = comm.receive<int>().value + comm.receive<int>().value;
    write("sum: " + std::to_string(sum));
  }));
  check_none(all_send_to_first(3, [](Communicator& comm) {
    write("first: " + std::to_string(comm.receive<int>(1).value));
    comm.receive<int>(2);
  }));
}

TEST_CASE("a sum of floats depends on the order that it is made in, one of integers does not") {
  const auto sums = [](auto one) {
    using Number = decltype(one);
    return ranks(4, [](Communicator& comm) {
      const Number summands[] = {0, 100'000'000, 1, -100'000'000};
      if (comm.rank() != 0) return comm.send(0, 5, summands[comm.rank()]);
      Number sum = 0;
      for (int i = 1; i < 4; ++i) sum += comm.receive<Number>(any_source, 5).value;
      comm.send(0, 6, sum);
      comm.receive<Number>(0, 6);
    });
  };
  check_harmful(sums(1.0F), "send rank 0 a message that is not in this one (tag 6, 4 bytes)",
                "other values");
  check_benign(sums(1));
}

TEST_CASE(
    "of one sender's messages the first is taken, whatever the tags, of two senders' either") {
  check_none(ranks(2, [](Communicator& comm) {
    if (comm.rank() == 1) {
      comm.send(0, 7, 1);
      return comm.send(0, 8, 2);
    }
    for (int i = 0; i < 2; ++i) write(std::to_string(comm.receive<int>(1, any_tag).tag));
  }));
  check_harmful(ranks(3,
                      [](Communicator& comm) {
                        if (comm.rank() != 0) return comm.send(0, comm.rank() + 6, 0);
                        for (int i = 0; i < 2; ++i) {
                          write(std::to_string(comm.receive<int>(any_source, any_tag).tag));
                        }
                      }),
                "has rank 0 write");
}

TEST_CASE("receives that are posted ahead race, and the one that was posted first matches first") {
  const auto posted = [](bool writes) {
    return all_send_to_first(3, [writes](Communicator& comm) {
      std::vector<Request> requests;
      for (int i = 0; i < 2; ++i) requests.push_back(comm.start_receive());
      int sum = 0;
      for (int i = 0; i < 2; ++i) {
        const std::size_t done = *comm.select(requests);
        const std::int32_t source = requests[done].wait().source;
        static_cast<void>(requests[done].take_payload());
        requests.erase(requests.begin() + static_cast<std::ptrdiff_t>(done));
        if (writes) write(std::to_string(source));
        sum += source;
      }
      write(std::to_string(sum));
    });
  };
  check_harmful(posted(true), "has rank 0 write");
  check_benign(posted(false));
  // The first receive takes what comes first, so nothing else can reach the second.
  check_none(ranks(3, [](Communicator& comm) {
    if (comm.rank() == 2) {
      comm.receive<int>(0, 1);
      return comm.send(0, 0, 2);
    }
    if (comm.rank() == 1) return comm.send(0, 0, 1);
    Request first = comm.start_receive(1, 0);
    Request second = comm.start_receive(any_source, 0);
    first.wait();
    static_cast<void>(first.take_payload());
    comm.send(2, 1, 0);
    second.wait();
    static_cast<void>(second.take_payload());
  }));
}

TEST_CASE("a probe with a wildcard races, though the receive after it names its source") {
  const auto probing = [](bool writes) {
    return all_send_to_first(3, [writes](Communicator& comm) {
      int sum = 0;
      for (int i = 0; i < 2; ++i) {
        const std::int32_t source = comm.probe().source;
        if (writes) write(std::to_string(source));
        sum += comm.receive<int>(source, 0).value;
      }
      write(std::to_string(sum));
    });
  };
  check_harmful(probing(true), "has rank 0 write");
  check_benign(probing(false));
}

TEST_CASE("what is sent after the receive is complete does not race with it") {
  check_none(ranks(3, [](Communicator& comm) {
    if (comm.rank() == 1) return comm.send(0, 0, 1);
    if (comm.rank() == 2) {
      comm.receive<int>(0, 9);
      return comm.send(0, 0, 2);
    }
    write(std::to_string(comm.receive<int>(any_source, 0).value));
    comm.send(2, 9, 0);
    write(std::to_string(comm.receive<int>(any_source, 0).value));
  }));
  // Without the word in between they race.
  check_harmful(ranks(3,
                      [](Communicator& comm) {
                        if (comm.rank() != 0) return comm.send(0, 0, comm.rank());
                        write(std::to_string(comm.receive<int>(any_source, 0).value));
                        write(std::to_string(comm.receive<int>(any_source, 0).value));
                      }),
                "has rank 0 write");
}

TEST_CASE("who gets which piece of work makes no difference where the results are the same") {
  check_benign(ranks(4, [](Communicator& comm) {
    constexpr int pieces = 8;
    if (comm.rank() != 0) {
      comm.send(0, 0, 0);
      for (;;) {
        const int piece = comm.receive<int>(0).value;
        if (piece == 0) return;
        comm.send(0, 0, piece * piece);
      }
    }
    int sum = 0;
    for (int next = 1; next < pieces + 3; ++next) {
      const auto answer = comm.receive<int>();
      sum += answer.value;
      comm.send(answer.source, 0, next <= pieces ? next : 0);
    }
    for (int i = 0; i < 1; ++i) {
      const auto answer = comm.receive<int>();
      sum += answer.value;
      comm.send(answer.source, 0, 0);
    }
    write(std::to_string(sum));
  }));
}

TEST_CASE("where the other run fails or dies, the race says how") {
  const auto trusting = [](auto fails) {
    return all_send_to_first(3, [fails](Communicator& comm) {
      const int first = comm.receive<int>().value;
      comm.receive<int>();
      if (first != 1) fails();
    });
  };
  const Races failing = races_in(trusting([] { check(false, "somebody else was first"); }), 40);
  INFO(failing.text());
  REQUIRE_FALSE(failing.findings.empty());
  const auto race = std::ranges::find(failing.findings, FindingKind::message_race, &Finding::kind);
  REQUIRE(race != failing.findings.end());
  CHECK(race->class_name == "harmful");
  CHECK_THAT(race->message, Catch::Contains("somebody else was first"));
  // In a search, since the first run may be one that dies.
  const Report report = search(trusting([] { std::_Exit(7); }), 20);
  const auto found = std::ranges::find_if(report.findings, [](const FoundRun& one) {
    return one.finding.kind == FindingKind::message_race;
  });
  REQUIRE(found != report.findings.end());
  CHECK_THAT(found->finding.message, Catch::Contains("the run in which it does ends with exit: "));
}

TEST_CASE("races that are not run the other way are counted, and options are checked") {
  Races races = races_in(all_send_to_first(3,
                                           [](Communicator& comm) {
                                             write(std::to_string(comm.receive<int>().value));
                                             comm.receive<int>();
                                           }),
                         0);
  INFO(races.text());
  CHECK(races.findings.empty());
  REQUIRE(races.remarks.size() == 1);
  CHECK(races.remarks[0].class_name == "not run");
  CHECK_THAT(races.remarks[0].message, Catch::Contains("reruns=N"));
  CHECK_THROWS_WITH(make_detector("message_race:reruns=x"), Catch::Contains("reruns"));
  CHECK_THROWS_WITH(make_detector("message_race:runs=3"), Catch::Contains("runs"));
  CHECK_THROWS_WITH(make_detector("fasttrack:reruns=3"), Catch::Contains("reruns"));
}

TEST_CASE("a search stops at a harmful race, keeps it while it shrinks, and has both runs") {
  const Program program = all_send_to_first(3, [](Communicator& comm) {
    write(std::to_string(comm.receive<int>().value));
    comm.receive<int>();
  });
  const Report report = search(program, 0);
  CHECK(report.runs == 1);
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].finding.kind == FindingKind::message_race);
  CHECK(report.findings[0].shrunk);
  CHECK(report.findings[0].other_run);
}

}  // namespace orrery
