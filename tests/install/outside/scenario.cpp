// Explores a program with a bug and its mended twin, through installed headers alone.
#include <cstdio>
#include <mutex>

#include <orrery/explorers/explorer.hpp>
#include <orrery/sim_runtime/orrery.hpp>

namespace {

void lost_update(orrery::World& world) {
  orrery::Shared<int> balance(world, 100, "balance");
  const auto deposit = [&] { balance.store(balance.load() + 10); };
  orrery::Thread alice = world.thread("Alice", deposit);
  orrery::Thread bob = world.thread("Bob", deposit);
  alice.join();
  bob.join();
  world.check(balance.load() == 120, "a deposit is lost");
}

void mended(orrery::World& world) {
  orrery::Shared<int> balance(world, 100, "balance");
  orrery::Mutex account(world, "account");
  const auto deposit = [&] {
    std::scoped_lock guard(account);
    balance.store(balance.load() + 10);
  };
  orrery::Thread alice = world.thread("Alice", deposit);
  orrery::Thread bob = world.thread("Bob", deposit);
  alice.join();
  bob.join();
  world.check(balance.load() == 120, "a deposit is lost");
}

}  // namespace

int main() {
  orrery::ExploreOptions options;
  options.name = "outside";
  options.save_logs = false;
  const orrery::Report buggy = orrery::explore(options, lost_update);
  const orrery::Report clean = orrery::explore(options, mended);
  std::printf("buggy:\n%s\nmended:\n%s\n", text(buggy).c_str(), text(clean).c_str());
  return buggy.exit_status() == 1 && clean.exit_status() == 0 ? 0 : 1;
}
