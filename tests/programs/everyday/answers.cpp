// Questions whose answers are shared: each has a promise and its waiters, which come and go, so
// that their memory is used anew by whichever thread comes next.
#include <cstdio>
#include <future>
#include <string>
#include <thread>
#include <vector>

using Answer = std::vector<int>;

static unsigned long heard[4];
static unsigned long total;  // nobody protects it

static void listen(std::shared_future<Answer> answer, int me, int turn) {
  Answer own = answer.get();
  own.push_back(turn);
  const std::string text(own.size() * 9, static_cast<char>('a' + me));
  __atomic_fetch_add(&heard[me], text.size() + own.size(), __ATOMIC_RELAXED);
  total = total * 31 + own.size() + static_cast<unsigned long>(me);
}

static void ask(int me) {
  for (int i = 0; i < 8; ++i) {
    std::promise<Answer> question;
    const std::shared_future<Answer> answer = question.get_future().share();
    std::vector<std::thread> listeners;
    for (int j = 0; j < 2; ++j) listeners.emplace_back(listen, answer, me, j);
    question.set_value(Answer(static_cast<std::size_t>(i % 5 + 1)));
    if (i % 2 == 0) heard[me] = heard[me] * 31 + answer.get().size();
    for (std::thread& one : listeners) one.join();
  }
}

int main() {
  std::vector<std::thread> all;
  for (int i = 0; i < 4; ++i) all.emplace_back(ask, i);
  for (std::thread& one : all) one.join();
  std::printf("%lx %lx %lx %lx %lx\n", heard[0], heard[1], heard[2], heard[3], total);
}
