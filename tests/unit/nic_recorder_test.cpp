// Recorded by the cards, or by the switches: what is kept, what is refused, and what a replay makes
// of it.
#include <chrono>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <orrery/network_model/firmware_hook.hpp>
#include <orrery/network_model/myrinet_network.hpp>
#include <orrery/network_model/networks.hpp>
#include <orrery/network_model/usage_error.hpp>
#include <orrery/replay_core/message_records.hpp>
#include <orrery/replay_core/recorders.hpp>
#include <orrery/replay_core/saved_run.hpp>
#include <orrery/replay_core/undisturbed_chooser.hpp>
#include <orrery/sim_runtime/orrery.hpp>

namespace orrery {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr std::int32_t tag = 1, other_tag = 2;

/// What the ranks have received, one after the other, by rank.
using Received = std::vector<std::vector<std::int32_t>>;
/// A rank each.
using Rank = std::function<void(World&, Communicator&, std::vector<std::int32_t>&)>;

/// Loses every so-many-th message that comes.
struct LosingHook final : FirmwareHook {
  LosingHook(std::shared_ptr<FirmwareHook> whole, std::uint64_t which)
      : inside(std::move(whole)), every(which) {}
  [[nodiscard]] HookPlace place() const override { return inside->place(); }
  [[nodiscard]] std::uint64_t buffer_bytes() const override { return inside->buffer_bytes(); }
  [[nodiscard]] bool sees_local_messages() const override { return true; }
  void reset() override { inside->reset(); }
  FirmwareWork on_receive(const FirmwareCall& call, const Transfer& transfer) override {
    const bool is_lost = transfer.header.begins_message && ++came % every == 0;
    return is_lost ? FirmwareWork{} : inside->on_receive(call, transfer);
  }
  FirmwareWork on_buffer_full(const FirmwareCall& call) override {
    return inside->on_buffer_full(call);
  }
  FirmwareWork on_finalize(const FirmwareCall& call) override { return inside->on_finalize(call); }
  std::shared_ptr<FirmwareHook> inside;
  std::uint64_t every;
  std::uint64_t came = 0;
};

struct Recording {
  Received received;
  std::vector<RecordedBlock> blocks;
  std::string blind_spot;
  std::vector<std::pair<std::string_view, std::uint64_t>> counts;

  [[nodiscard]] std::uint64_t count(std::string_view name) const {
    for (const auto& [what, count] : counts) {
      if (what == name) return count;
    }
    return UINT64_MAX;
  }
};

/// Where the run takes place.
struct Place {
  std::string network = "myrinet-pcixd";
  VirtualDuration window = VirtualDuration::zero();
  std::uint64_t lost_every = 0;
  Placement placement = {};
};

Received run(const std::vector<Rank>& ranks, const Place& place,
             const std::shared_ptr<FirmwareHook>& hook, Chooser& chooser, Observer* observer) {
  Received received(ranks.size());
  SimulationOptions options;
  options.window = place.window;
  options.placement = place.placement;
  options.network = network_factory(place.network, static_cast<std::uint32_t>(ranks.size()));
  if (hook != nullptr) options.network = with_firmware(options.network, hook);
  std::vector<Observer*> observers;
  if (observer != nullptr) observers.push_back(observer);
  Simulation simulation(options);
  const Outcome outcome = simulation.run(
      [&](World& world) {
        world.ranks(static_cast<std::int32_t>(ranks.size()), [&](Communicator& comm) {
          const auto rank = static_cast<std::size_t>(comm.rank());
          ranks[rank](world, comm, received[rank]);
        });
      },
      chooser, observers);
  if (!outcome.findings.empty()) FAIL(outcome.findings.front().message);
  REQUIRE(outcome.status == Outcome::Status::clean);
  return received;
}

Recording record(std::string_view method, const std::vector<Rank>& ranks, const Place& place = {}) {
  UndisturbedChooser chooser;
  const auto recorder = make_recorder(method, "test");
  std::shared_ptr<FirmwareHook> hook = recorder->firmware();
  if (place.lost_every > 0) hook = std::make_shared<LosingHook>(hook, place.lost_every);
  Recording recording;
  recording.received = run(ranks, place, hook, chooser, &recorder->observer());
  recording.blocks = recorder->blocks();
  recording.blind_spot = recorder->blind_spot();
  recording.counts = recorder->counts();
  return recording;
}

SavedRun saved(std::string_view method, const Recording& recording) {
  SavedRun log;
  log.method = method;
  for (const RecordedBlock& block : recording.blocks) {
    if (block.kind == BlockKind::open_calls) {
      log.messages.calls = decode_open_calls(block.content);
    }
    if (block.kind == BlockKind::traced_messages) {
      log.messages.traced = decode_traced_messages(block.content, "test");
    }
  }
  return log;
}

/// What the same ranks receive on a network on which messages come otherwise.
Received replayed(std::string_view method, const std::vector<Rank>& ranks,
                  const Recording& recording) {
  const SavedRun log = saved(method, recording);
  UndisturbedChooser fallback;
  const auto replayer = recorder_kind(method).make_replayer(log, fallback, ReplayMode::strict);
  const Place elsewhere{.network = "constant:latency=1us,loopback_latency=90us"};
  return run(ranks, elsewhere, nullptr, replayer->chooser(), replayer->observer());
}

Rank sends(int count, microseconds later, std::int32_t with = tag, std::size_t words = 1) {
  return [=](World& world, Communicator& comm, std::vector<std::int32_t>&) {
    if (later.count() > 0) world.sleep_for(later);
    for (int i = 0; i < count; ++i) {
      comm.send(0, with, std::vector<std::int32_t>(words, comm.rank() * 1000 + i));
    }
  };
}

void take(Communicator& comm, std::vector<std::int32_t>& received, std::int32_t source = any_source,
          std::int32_t with = tag) {
  received.push_back(comm.receive<std::vector<std::int32_t>>(source, with).value.front());
}

Rank receives(int count, milliseconds later = {}) {
  return [=](World& world, Communicator& comm, std::vector<std::int32_t>& received) {
    if (later.count() > 0) world.sleep_for(later);
    for (int i = 0; i < count; ++i) take(comm, received);
  };
}

/// A long message is overtaken by a short one of another sender, on cards.
std::vector<Rank> racing() {
  return {receives(20, milliseconds(5)), sends(5, microseconds(0), tag, 5'000),
          sends(10, microseconds(7)), sends(5, microseconds(3), tag, 900)};
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("What came to a card in some order is received in that order again") {
  for (const std::string method :
       {"nic", "nic:compress=yes", "nic+polls", "nic:buffer=16", "switch", "switch:compress=yes",
        "switch+polls", "switch:buffer=16"}) {
    CAPTURE(method);
    const std::vector<Rank> ranks = racing();
    const Recording recording = record(method, ranks);
    CHECK(recording.blind_spot.empty());
    CHECK(recording.count(contains(method, "nic") ? "card_records" : "port_records") == 20);
    CHECK(recording.count("out_of_order") == 0);
    const std::string name = method.substr(0, method.find(':'));
    CHECK(replayed(name, ranks, recording) == recording.received);
    // It is not what comes up there by itself.
    UndisturbedChooser chooser;
    CHECK(run(ranks, {.network = "constant:latency=1us,loopback_latency=90us"}, nullptr, chooser,
              nullptr) != recording.received);
  }
}

TEST_CASE("Receives take what fits their tag of what came, and those that name a sender its own") {
  const Rank receiver = [](World& world, Communicator& comm, std::vector<std::int32_t>& received) {
    world.sleep_for(milliseconds(5));
    for (int i = 0; i < 3; ++i) take(comm, received, any_source, other_tag);
    take(comm, received, 1);
    for (int i = 0; i < 5; ++i) take(comm, received);
    for (int i = 0; i < 2; ++i) take(comm, received, any_source, any_tag);
  };
  const Rank both = [](World& world, Communicator& comm, std::vector<std::int32_t>&) {
    for (int i = 0; i < 6; ++i) {
      world.sleep_for(microseconds(2));
      comm.send(0, i % 2 == 0 ? tag : other_tag, std::vector<std::int32_t>{comm.rank() * 1000 + i});
    }
  };
  const Rank one_tag = sends(5, microseconds(4));
  const std::vector<Rank> ranks{receiver, both, one_tag};
  for (const char* const method : {"nic", "switch"}) {
    const Recording recording = record(method, ranks);
    CHECK(recording.blind_spot.empty());
    CHECK(replayed(method, ranks, recording) == recording.received);
  }
}

TEST_CASE("Receives that are open together get what came in the order in which they began") {
  const Rank receiver = [](World&, Communicator& comm, std::vector<std::int32_t>& received) {
    Request any = comm.start_receive(any_source, tag);
    Request named = comm.start_receive(1, tag);
    Request last = comm.start_receive(any_source, any_tag);
    any.wait();
    named.wait();
    last.wait();
    for (Request* const one : {&any, &named, &last}) {
      std::int32_t value = 0;
      std::memcpy(&value, one->take_payload().data(), sizeof value);
      received.push_back(value);
    }
    const Envelope seen = comm.probe(any_source, tag);
    received.push_back(seen.source);
    take(comm, received, seen.source);
    take(comm, received);
  };
  for (const int later_us : {0, 1, 30}) {
    CAPTURE(later_us);
    const std::vector<Rank> ranks{receiver, sends(2, microseconds(3 * later_us)),
                                  sends(3, microseconds(30 - later_us))};
    const Recording recording = record("nic", ranks);
    CHECK(recording.blind_spot.empty());
    CHECK(replayed("nic", ranks, recording) == recording.received);
  }
}

TEST_CASE("Ranks of one host are told apart, and what they send each other is seen") {
  const Rank receiver = receives(10, milliseconds(2));
  const Rank second = [](World& world, Communicator& comm, std::vector<std::int32_t>& received) {
    for (int i = 0; i < 5; ++i) {
      comm.send(0, tag, std::vector<std::int32_t>{1000 + i});
      world.sleep_for(microseconds(9));
    }
    for (int i = 0; i < 5; ++i) take(comm, received);
  };
  const Rank third = [](World& world, Communicator& comm, std::vector<std::int32_t>&) {
    for (int i = 0; i < 5; ++i) {
      for (const std::int32_t to : {0, 1}) {
        comm.send(to, tag, std::vector<std::int32_t>{2000 + i});
        world.sleep_for(microseconds(4));
      }
    }
  };
  const std::vector<Rank> ranks{receiver, second, third};
  Place place;
  place.placement = Placement::list({0, 0, 1});
  for (const std::string method : {"nic", "nic:compress=yes,buffer=20", "switch"}) {
    const Recording recording = record(method, ranks, place);
    CHECK(recording.blind_spot.empty());
    CHECK(recording.count(contains(method, "nic") ? "card_records" : "port_records") == 15);
    CHECK(replayed(method.substr(0, method.find(':')), ranks, recording) == recording.received);
  }
}

TEST_CASE("A buffer that is full goes to the host, and compressed it holds more") {
  const std::vector<Rank> ranks{receives(600), sends(300, microseconds(0)),
                                sends(300, microseconds(0))};
  const Recording roomy = record("nic", ranks);
  const Recording small = record("nic:buffer=64", ranks);
  const Recording compressed = record("nic:buffer=64,compress=yes", ranks);
  CHECK(roomy.count("card_bytes") == 601 * 4);
  CHECK(roomy.count("card_flushes") == 1);  // at the end
  CHECK(small.count("card_flushes") >= 601 / 8);
  CHECK(small.count("card_cycles") == 600 * 30 + small.count("card_flushes") * 100);
  CHECK(compressed.count("card_bytes") < 200);
  CHECK(compressed.count("card_flushes") < 8);
  for (const Recording* const one : {&roomy, &small, &compressed}) {
    CHECK(one->blind_spot.empty());
    CHECK(replayed("nic", ranks, *one) == one->received);
  }
  const Recording at_port = record("switch:buffer=64", ranks);
  CHECK(at_port.blind_spot.empty());
  CHECK(at_port.count("port_bytes") == 601 * 4);
  CHECK(at_port.count("port_flushes") >= 601 / 8);
  CHECK(replayed("switch", ranks, at_port) == at_port.received);
}

TEST_CASE("Ports of several switches keep what came to the cards") {
  std::vector<Rank> ranks{receives(30, milliseconds(5))};
  for (int i = 0; i < 6; ++i) {
    ranks.push_back(sends(5, microseconds(i % 3), tag, i % 2 == 0 ? 2'000 : 1));
  }
  const Place place{.network = "myrinet-pcixd:7:hosts_per_switch=2"};
  const Recording recording = record("switch", ranks, place);
  CHECK(recording.blind_spot.empty());
  CHECK(recording.count("port_records") == 30);
  CHECK(replayed("switch", ranks, recording) == recording.received);
}

TEST_CASE("Cards that lose every fiftieth record are found out") {
  const std::vector<Rank> ranks{receives(200), sends(100, microseconds(0)),
                                sends(100, microseconds(0))};
  Place place;
  CHECK(record("switch", ranks, place).blind_spot.empty());
  CHECK(record("nic", ranks, place).blind_spot.empty());
  CHECK(record("nic+polls", ranks, place).count("out_of_order") == 0);
  place.lost_every = 50;
  CHECK(contains(record("nic", ranks, place).blind_spot, "another message than the first"));
  CHECK(contains(record("switch", ranks, place).blind_spot, "another message than the first"));
  // The host can tell what is missing: the run is the same, but it is seen.
  const Recording mended = record("nic+polls", ranks, place);
  CHECK(mended.count("out_of_order") > 0);
  CHECK(replayed("nic+polls", ranks, mended) == mended.received);
}

TEST_CASE("What no card sees is refused by name, or kept by the host") {
  const auto with = [](Rank receiver) {
    return std::vector<Rank>{std::move(receiver), sends(1, microseconds(50)),
                             sends(1, microseconds(20))};
  };
  const Rank polls = [](World&, Communicator& comm, std::vector<std::int32_t>& received) {
    std::int32_t failed = 0;
    while (!comm.try_probe(any_source, tag)) ++failed;
    received.push_back(failed);
    for (int i = 0; i < 2; ++i) take(comm, received);
  };
  const Rank selects = [](World& world, Communicator& comm, std::vector<std::int32_t>& received) {
    Request first = comm.start_receive(1, tag);
    Request second = comm.start_receive(2, tag);
    const Request both[] = {first, second};
    world.sleep_for(milliseconds(1));
    received.push_back(static_cast<std::int32_t>(*comm.select(both)));
    first.wait();
    second.wait();
  };
  const Rank gives_up = [](World&, Communicator& comm, std::vector<std::int32_t>& received) {
    received.push_back(comm.receive_for<std::vector<std::int32_t>>(microseconds(1)) ? 1 : 0);
    for (int i = 0; i < 2; ++i) take(comm, received);
  };
  const Rank cancels = [](World& world, Communicator& comm, std::vector<std::int32_t>& received) {
    Request early = comm.start_receive(any_source, tag);
    received.push_back(early.cancel() ? 1 : 0);
    world.sleep_for(milliseconds(1));
    for (int i = 0; i < 2; ++i) take(comm, received);
  };
  const std::pair<Rank, const char*> all[] = {{polls, "rank 0 polls"},
                                              {selects, "rank 0 waits for any"},
                                              {gives_up, "rank 0 polls"},
                                              {cancels, "rank 0 cancels"}};
  for (const auto& [receiver, what] : all) {
    CAPTURE(what);
    const std::vector<Rank> ranks = with(receiver);
    CHECK(contains(record("nic", ranks).blind_spot, what));
    CHECK(contains(record("switch", ranks).blind_spot, "no switch sees"));
    const Recording kept = record("nic+polls", ranks);
    CHECK(kept.blind_spot.empty());
    CHECK(replayed("nic+polls", ranks, kept) == kept.received);
  }
}

TEST_CASE("A run that took messages in another order than they came is refused, or kept so") {
  /// Takes the last of what there is.
  struct LastChooser final : Chooser {
    Decision choose(const ChoicePoint& point) override {
      return Decision::take(point.kind == ChoiceKind::message ? point.alternatives.size() - 1
                                                              : point.default_index());
    }
  };
  const std::vector<Rank> ranks = racing();
  for (const char* const method : {"nic", "nic+polls"}) {
    LastChooser chooser;
    const auto recorder = make_recorder(method, "test");
    Recording recording;
    recording.received = run(ranks, {}, recorder->firmware(), chooser, &recorder->observer());
    recording.blocks = recorder->blocks();
    recording.counts = recorder->counts();
    CHECK(recording.count("out_of_order") > 0);
    if (method == std::string("nic")) {
      CHECK(contains(recorder->blind_spot(), "a receive of rank 0 took another message"));
    } else {
      CHECK(recorder->blind_spot().empty());
      CHECK(replayed(method, ranks, recording) == recording.received);
    }
  }
}

TEST_CASE("Options of the recorder that cannot be are refused") {
  const auto refusal = [](const std::string& text) {
    try {
      static_cast<void>(make_recorder(text, "--method"));
    } catch (const UsageError& error) {
      return error.where() + ": " + error.what();
    }
    return std::string("taken");
  };
  CHECK(refusal("nic") == "taken");
  CHECK(refusal("nic+polls:buffer=1MiB,compress=yes,cycles=10,compress_cycles=5") == "taken");
  CHECK(refusal("switch:buffer=1KiB,flush_cycles=0,cycles=0") == "taken");
  CHECK(contains(refusal("switch:buffer=0"), "--method switch:buffer: a buffer of 0 bytes"));
  CHECK(contains(refusal("switch+poll"), "there is no recorder 'switch+poll'"));
  CHECK(contains(refusal("nic:buffer=0"), "--method nic:buffer: a buffer of 0 bytes is too small"));
  CHECK(contains(refusal("nic:buffer=15B"), "a record, which takes up to 16"));
  CHECK(contains(refusal("nic:buffer=lots"), "'lots' is not a size"));
  CHECK(contains(refusal("nic:buffer=-1"), "'-1' is not a size"));
  CHECK(contains(refusal("nic:compress=maybe"), "neither yes nor no"));
  CHECK(contains(refusal("nic:compress_cycles=5"), "says nothing without compress=yes"));
  CHECK(contains(refusal("nic:cycles=2000000"), "cycles"));
  CHECK(contains(refusal("nic:bufer=1KiB"), "no option 'bufer'"));
  CHECK(contains(refusal("nic:4"), "no bare number"));
  CHECK(contains(refusal("wildcards:buffer=1KiB"), "no option 'buffer'"));
  CHECK(contains(refusal("nick"), "there is no recorder 'nick'"));
  const auto recorder = make_recorder("nic:buffer=2MiB", "--method");
  MyrinetNetwork network(2);
  CHECK_THROWS_WITH(network.load_firmware(recorder->firmware()),
                    Catch::Contains("1490944 are left") && Catch::Contains("2097152"));
  CHECK_THROWS_WITH(
      network.load_firmware(make_recorder("switch:buffer=128KiB", "--method")->firmware()),
      Catch::Contains("a port of a switch has 131072 bytes"));
}

}  // namespace orrery
