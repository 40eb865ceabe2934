// Teams of threads, and what they share.  Open `team.cpp` first.
//
// All of this runs on one real thread, and gives way to other tasks only in calls of the runtime:
// between two such calls nothing here needs a lock.  What orders the memory accesses of a program
// is made of the runtime's semaphores and barriers, since detectors look at those; what orders
// nothing in real programs (who takes the next iterations) is a visible call, and orders nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "loop.hpp"
#include "settings.hpp"

namespace orrery::openmp {

using Function = void (*)(void*);

struct Team;
struct Thread;

/// The tasks that a `taskgroup` waits for.
struct Group {
  Group* outer = nullptr;
  int unfinished = 0;
  int ended = 0;  ///< since its beginning
  char ends = 0;  ///< its address is a semaphore: released by each task that ends
  std::uintptr_t* reductions = nullptr;  ///< that its tasks may take part in (`reductions.hpp`)
};

struct Task;
using TaskPointer = std::shared_ptr<Task>;

/// A task, explicit or a thread's part of a region.
struct Task {
  TaskPointer parent;
  Team* team = nullptr;
  Group* group = nullptr;  ///< the innermost of those that are open in it
  Settings settings;
  Function function = nullptr;
  void* data = nullptr;
  std::unique_ptr<std::byte[]> memory;  ///< where `data` lies
  bool is_final = false;
  bool is_explicit = false;

  int children = 0;  ///< that have not ended
  int ended = 0;     ///< children that have, since the last `taskwait`
  char ends = 0;     ///< its address is a semaphore: released by each child that ends
  char start = 0;    ///< as well: released by its creator
  char end = 0;      ///< as well: released when it has ended, for those that depend on it
  int awaits = 0;    ///< tasks that it depends on and that have not ended
  bool has_ended = false;
  bool has_dependences = false;
  std::vector<TaskPointer> predecessors;
  std::vector<TaskPointer> successors;

  /// What its children have said of a place in memory.
  struct Uses {
    std::vector<TaskPointer> writers;  ///< the last, or several that may write in any order
    std::vector<TaskPointer> readers;  ///< since then
  };
  std::map<const void*, Uses> uses;
};

/// A loop, `sections` or `single` of a team.
struct Share {
  Loop loop;
  // Values of the loop's variable.
  unsigned long long first_value = 0;
  unsigned long long end_value = 0;
  unsigned long long increment = 0;
  bool is_begun = false;
  int threads_done = 0;
  void* copied = nullptr;  ///< by `copyprivate`
  std::unique_ptr<std::byte[]> memory;
  // Ordered sections: their chunks follow each other.
  std::uint64_t turn = 0;  ///< the iteration with which the next chunk begins
  char token = 0;          ///< its address is a semaphore: held by whose turn it is
  bool is_ordered = false;
  int sections = 0;
  int next_section = 1;
  std::uintptr_t* reductions = nullptr;  ///< of tasks: those of the thread that came first
  // Iterations that wait for each other (`doacross.hpp`).
  struct Posts {
    std::vector<std::uint64_t> last;  ///< that has done what others wait for
    char token = 0;                   ///< its address is a semaphore: released by each
  };
  std::map<std::uint64_t, Posts> posts;  ///< by the iteration of the outermost loop
  std::size_t nested_loops = 1;
};

/// Where a thread is: its place in a team, and in the team's region.
struct Place {
  Team* team = nullptr;
  int number = 0;
  TaskPointer task;
  unsigned shares_begun = 0;
  Share* share = nullptr;
  std::uint64_t trip = 0;  ///< parts of a fixed schedule that it has had
  Chunk chunk;             ///< the last one
  bool has_token = false;
  bool had_chunk = false;
};

/// One parallel region.
struct Team {
  Team* outer = nullptr;
  Place outer_place_of_master;
  int size = 1;
  int level = 0;
  int active_level = 0;
  Function function = nullptr;
  void* data = nullptr;
  Settings settings;               ///< of its members
  bool begins_with_share = false;  ///< as `parallel for` does
  int threads_left = 0;            ///< that have been through the barrier at the end
  std::unique_ptr<Group> group;    ///< of all tasks in it, where they take part in reductions
  std::vector<Thread*> threads;
  std::deque<Share> shares;  ///< those that not all threads have left
  unsigned first_share = 0;  ///< the number of the first of them

  char barrier = 0;  ///< its address is the barrier of all
  int arrived = 0;
  unsigned generation = 0;  ///< of the barrier
  std::uint32_t news = 0;   ///< a futex: changes when waiting threads should look again
  int waiting = 0;
  int unfinished = 0;  ///< explicit tasks
  std::deque<TaskPointer> ready;
};

/// A thread that OpenMP knows.
struct Thread {
  Place place;
  // Of the pool:
  char work = 0;  ///< its address is a semaphore: released when there is work
  Team* next_team = nullptr;
  int next_number = 0;
  bool is_idle = true;  ///< it may be given to a new region
};

/// What OpenMP keeps for a simulated process.
struct Process {
  Process();
  Environment environment;
  std::deque<Thread> initial;  ///< threads that the program made, or began with
  std::deque<Thread> pool;
  std::deque<Team> teams;
  std::vector<Team*> free_teams;  ///< which all threads have left
  /// Of reductions, by where they begin.
  std::map<std::uintptr_t, std::unique_ptr<std::byte[]>> parts;
  int team_count = 1;  ///< of `teams`
  int team_number = 0;
};

/// The calling thread of the program, known from its first call.
Thread& this_thread();
Process& this_process();

/// Runs `function(data)` on so many threads (0: as many as the settings say), the caller among
/// them.  `prepare` is called with the new team before anybody begins.
void run_region(Function function, void* data, unsigned threads, std::uintptr_t program_counter,
                void (*prepare)(Team& team, const void* with) = nullptr,
                const void* with = nullptr);

/// Waits for the whole team, and for all of its tasks, which are done meanwhile.
void wait_for_team(std::uintptr_t program_counter);

/// The construct that the calling thread has come to; begun by the first of them.  Each thread must
/// leave it.
Share& enter_share(Thread& thread);
void leave_share(Thread& thread);
/// The first of a region, for `prepare`.
Share& add_first_share(Team& team);

/// Tells waiting threads of the team to look again.
void tell_news(Team& team, std::uintptr_t program_counter);
/// Waits for such news.
void await_news(Team& team, std::uintptr_t program_counter);

}  // namespace orrery::openmp
