// A program of real threads with an object that many read and one changes.
#include <cstdio>
#include <thread>

#include <orrery/threads/crew_object.hpp>

int main() {
  orrery::threads::CrewObject<int> account(100);
  std::thread saver([&] { account.write([](int& x) { x += 20; }); });
  account.wait_until([](const int& x) { return x == 120; });
  saver.join();
  std::printf("%d\n", account.read([](const int& x) { return x; }));
}
