// Open files whose other end is in the same program: what goes through them, and in which order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "open_file.hpp"
#include "shared_state.hpp"

namespace orrery::host {

/// How a call reads or writes, besides what its descriptor says.
struct Manner {
  bool never_waits = false;
  bool is_whole = false;   ///< reads all that is asked for
  bool is_look = false;    ///< leaves there what it reads
  bool is_silent = false;  ///< no signal where nobody reads
};

/// A pipe, an end of a pair of sockets, an event counter.
class SharedFile : public OpenFile {
 public:
  using OpenFile::OpenFile;
  [[nodiscard]] SharedFile* shared() final { return this; }
  [[nodiscard]] virtual bool is_socket() const { return false; }

  ssize_t read(void* into, std::size_t bytes) final { return receive(into, bytes, {}); }
  ssize_t write(const void* from, std::size_t bytes) final { return send(from, bytes, {}); }
  ssize_t receive(void* into, std::size_t bytes, Manner manner);
  ssize_t send(const void* from, std::size_t bytes, Manner manner);

  /// Which of POLLIN, POLLOUT, POLLHUP and POLLERR hold; a watcher is told of changes from then on,
  /// until it is forgotten.
  [[nodiscard]] virtual short watch(Watcher* watcher) = 0;
  virtual void forget(const Watcher& watcher) = 0;
  /// What goes through it comes in an order that real threads had: a word that stands for that, and
  /// may be locked.  Null: nothing goes through it that way.
  [[nodiscard]] virtual std::shared_ptr<bool> order(bool is_reading) = 0;

 protected:
  struct Transfer {
    std::size_t bytes;
    bool waits;
    Manner manner;
  };
  virtual ssize_t take(void* into, const Transfer& transfer) = 0;
  virtual ssize_t put(const void* from, const Transfer& transfer) = 0;
  /// What a transfer that does not wait would come to; an error as a negative number.
  [[nodiscard]] virtual std::int64_t would_take(std::size_t bytes) const = 0;
  [[nodiscard]] virtual std::int64_t would_put(const void* from, std::size_t bytes) const = 0;

 private:
  [[nodiscard]] bool waits(Manner manner) const {
    return !manner.never_waits && (flags & O_NONBLOCK) == 0;
  }
  ssize_t receive_once(void* into, std::size_t bytes, Manner manner);
  ssize_t send_once(const void* from, std::size_t bytes, Manner manner);
};

/// In a replay of real threads, which had an order of what they did to pipes and the like.
[[nodiscard]] bool keeps_order();
/// There: what a call has found; `own` is what it would find here.
[[nodiscard]] std::uint64_t told(std::uint64_t own);
/// Likewise: what it came to, -1 with `errno`; of `own` an error is a negative number.
[[nodiscard]] ssize_t told_result(std::int64_t own);

/// In such a replay: the turn of a transfer through the file, as long as it lives.  Real threads
/// had a lock for that, which the log knows as one of the program's.
class TransferTurn {
 public:
  TransferTurn() = default;
  /// Null: no turn.
  explicit TransferTurn(std::shared_ptr<bool> order);
  ~TransferTurn();
  TransferTurn(const TransferTurn&) = delete;
  TransferTurn& operator=(const TransferTurn&) = delete;
  [[nodiscard]] bool is_had() const { return order_ != nullptr; }

 private:
  std::shared_ptr<bool> order_;
};

/// The turn of a call that ends what a descriptor leads to, as far as it may.
class EndTurn {
 public:
  explicit EndTurn(OpenFile& file);

 private:
  std::pair<std::shared_ptr<bool>, std::shared_ptr<bool>> orders_;
  TransferTurn reading_;
  TransferTurn writing_;
};

}  // namespace orrery::host
