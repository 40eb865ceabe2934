// Open files whose other end is in the same program: what goes through them, and in which order.
#pragma once

#include <cstddef>
#include <cstdint>

#include "watched_file.hpp"

namespace orrery::host {

/// How a call reads or writes, besides what its descriptor says.
struct Manner {
  bool never_waits = false;
  bool is_whole = false;   ///< reads all that is asked for
  bool is_look = false;    ///< leaves there what it reads
  bool is_silent = false;  ///< no signal where nobody reads
};

/// A pipe, an end of a pair of sockets, an event counter.
class SharedFile : public WatchedFile {
 public:
  using WatchedFile::WatchedFile;
  [[nodiscard]] SharedFile* shared() final { return this; }
  [[nodiscard]] virtual bool is_socket() const { return false; }

  ssize_t read(void* into, std::size_t bytes) final { return receive(into, bytes, {}); }
  ssize_t write(const void* from, std::size_t bytes) final { return send(from, bytes, {}); }
  ssize_t receive(void* into, std::size_t bytes, Manner manner);
  ssize_t send(const void* from, std::size_t bytes, Manner manner);

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

}  // namespace orrery::host
