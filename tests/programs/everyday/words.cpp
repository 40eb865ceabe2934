#include <fstream>
#include <iostream>
#include <map>
#include <mutex>
#include <regex>
#include <string>
#include <thread>
#include <vector>

namespace {

std::mutex lock;
std::map<std::string, int> counts;
std::vector<std::string> history;
long lines = 0;
long unprotected = 0;  // races, as does the size of `history`

void read_file(const std::string& name) {
  std::ifstream in(name);
  const std::regex word("[a-z]+");
  std::string line;
  while (std::getline(in, line)) {
    ++unprotected;
    for (std::sregex_iterator at(line.begin(), line.end(), word), end; at != end; ++at) {
      const std::lock_guard held(lock);
      ++counts[at->str()];
    }
    {
      const std::lock_guard held(lock);
      ++lines;
      history.push_back(line.substr(0, 6));
    }
    if (history.size() % 7 == 0) unprotected += 3;
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::thread> threads;
  for (int i = 1; i < argc; ++i) threads.emplace_back(read_file, std::string(argv[i]));
  for (std::thread& thread : threads) thread.join();
  std::cout << lines << ' ' << unprotected;
  for (const auto& [word, count] : counts) std::cout << ' ' << word << count;
  for (const std::string& text : history) std::cout << ' ' << text;
  std::cout << '\n';
}
