// The files that an `epoll` list looks at.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <sys/epoll.h>

#include "epoll_words.hpp"
#include "watched_file.hpp"

namespace orrery::host {

/// A file, by one of its numbers.
struct Interest {
  std::uint32_t which = 0;  ///< the how many-th of its list it was
  int number = -1;
  std::weak_ptr<OpenFile> file;
  epoll_event event{};
  bool is_gone = false;
  bool is_off = false;  ///< asked for once, and found
  bool has_news = true;
  std::uint64_t arrivals = 0;  ///< when it was looked at last
  std::uint64_t departures = 0;
  /// In a replay of real threads: the file's, which may be closed by the time that it is found.
  std::shared_ptr<bool> reading;
  std::shared_ptr<bool> writing;

  [[nodiscard]] bool is(int its_number, const OpenFile* its_file) const {
    return !is_gone && number == its_number && file.lock().get() == its_file;
  }
  /// Has something come to it that was asked for, since it was looked at last?
  [[nodiscard]] bool has_news_in(const Found& found) const;
};

/// Its functions are called by who has its turn, but for `watch`, `forget` and `drop`.
class Interests : public SharedState {
 public:
  /// As `epoll_ctl`, of a file that it can have: 0 or an error's number.
  [[nodiscard]] int check(int operation, int number, const OpenFile* file) const;
  /// Does what has been checked, or what real threads have done: then the file may be gone.
  void change(int operation, int number, const std::shared_ptr<OpenFile>& file,
              const epoll_event& event);

  struct Collected {
    std::vector<FoundEvent> events;
    std::int64_t due = ORRERY_NEVER;  ///< what has not come yet may by then
  };
  /// What there is, up to so much: then the next look begins behind that.  As long as there is
  /// nothing the watcher, unless that is null, is told of changes of the files.
  [[nodiscard]] Collected collect(std::size_t count_max, Watcher* watcher);
  /// Is there anything?  For who looks at the list itself as a file.
  [[nodiscard]] Found look(Watcher* watcher);
  void forget(const Watcher& watcher) override;
  /// The file is closed.
  void drop(const OpenFile& file);
  /// Null: there was never such a one.
  [[nodiscard]] const Interest* at(std::uint32_t which) const;

  /// Is there a way from it to that list?
  [[nodiscard]] bool leads_to(const OpenFile* list) const;
  /// So many lists, one looked at by the other, beginning with itself.
  [[nodiscard]] int depth() const;

 private:
  [[nodiscard]] Found look_at(Interest& one, Watcher* watcher);
  [[nodiscard]] Interest* last_of(int number, const OpenFile* file);
  void drop_those_gone();

  struct Watched {
    const Watcher* watcher;
    WatchedFile::States states;
  };
  std::vector<Interest> all_;
  std::vector<Watched> watched_;
  std::uint32_t added_ = 0;
  std::size_t next_ = 0;
};

}  // namespace orrery::host
