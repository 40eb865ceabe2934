// A session cache of a small web service.  Four request threads look sessions up; a miss loads the
// session "from the database" and may evict the one that was used longest ago.
// With -DBUG the last session that was found is remembered, and asked for before the lock is taken.
#include <cassert>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

namespace web {

struct Session {
  std::string user;
  std::vector<int> rights;
  std::uint64_t digest = 0;

  explicit Session(const std::string& name) : user(name) {
    for (char c : name) rights.push_back(c * 7 + 1);
    digest = checksum();
  }
  std::uint64_t checksum() const {
    std::uint64_t sum = 1469598103934665603ULL;
    for (int right : rights) sum = (sum ^ static_cast<std::uint64_t>(right)) * 1099511628211ULL;
    return sum + user.size();
  }
};

using SessionPtr = std::shared_ptr<const Session>;

class SessionCache {
 public:
  explicit SessionCache(std::size_t capacity) : capacity_(capacity) {}

  SessionPtr find(const std::string& key) {
#ifdef BUG
    // Most requests come in bursts of one user: look at the last one first.
    if (const Entry* last = last_found_; last != nullptr && last->key == key) {
      return last->session;
    }
#endif
    const std::lock_guard<std::mutex> guard(mutex_);
    const auto found = index_.find(key);
    if (found == index_.end()) {
      ++misses_;
      return nullptr;
    }
    order_.splice(order_.begin(), order_, found->second);
    ++hits_;
    last_found_ = &*found->second;
    return found->second->session;
  }

  void insert(const std::string& key, SessionPtr session) {
    const std::lock_guard<std::mutex> guard(mutex_);
    if (index_.count(key) != 0) return;
    order_.push_front(Entry{key, std::move(session)});
    index_[key] = order_.begin();
    while (order_.size() > capacity_) evict_oldest();
  }

  void report() const {
    std::printf("hits+misses known: %s, entries: %zu\n", hits_ + misses_ > 0 ? "yes" : "no",
                order_.size());
  }

 private:
  struct Entry {
    std::string key;
    SessionPtr session;
  };

  void evict_oldest() {
    Entry& oldest = order_.back();
    if (last_found_ == &oldest) last_found_ = nullptr;
    index_.erase(oldest.key);
    order_.pop_back();
  }

  const std::size_t capacity_;
  std::mutex mutex_;
  std::list<Entry> order_;
  std::unordered_map<std::string, std::list<Entry>::iterator> index_;
  const Entry* last_found_ = nullptr;
  long hits_ = 0;
  long misses_ = 0;
};

class RequestThread {
 public:
  RequestThread(SessionCache& cache, unsigned number, int requests)
      : cache_(cache), random_(number * 2654435761U + 1), requests_(requests) {}

  void operator()() {
    std::string user = name_of(next());
    for (int i = 0; i < requests_; ++i) {
      if (next() % 4 == 0) user = name_of(next());
      serve(user);
    }
  }

 private:
  unsigned next() { return random_ = random_ * 1664525U + 1013904223U, random_ >> 16; }
  static std::string name_of(unsigned number) {
    return "customer-account-" + std::to_string(number % 12);
  }
  void serve(const std::string& user) {
    SessionPtr session = cache_.find(user);
    if (!session) {
      session = std::make_shared<const Session>(user);
      cache_.insert(user, session);
    }
    assert(session->user == user);
    assert(session->digest == session->checksum());
  }

  SessionCache& cache_;
  unsigned random_;
  int requests_;
};

}  // namespace web

int main(int argc, char** argv) {
  const int requests = argc > 1 ? std::atoi(argv[1]) : 150;
  web::SessionCache cache(8);
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 4; ++i) threads.emplace_back(web::RequestThread(cache, i, requests));
  for (std::thread& thread : threads) thread.join();
  cache.report();
  return 0;
}
