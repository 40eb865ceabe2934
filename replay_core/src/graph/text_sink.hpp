// Text on its way into a file.
#pragma once

#include <iterator>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace orrery::detail {

/// Writes to a file descriptor, from the file's beginning on, in large pieces.  Throws `UsageError`
/// where the system says no: a full disk.
class TextSink {
 public:
  /// `flag`: what of the command line names the file.
  explicit TextSink(int descriptor, std::string flag = "--export");
  TextSink(const TextSink&) = delete;
  TextSink& operator=(const TextSink&) = delete;

  void write(std::string_view text) {
    buffer_ += text;
    if (buffer_.size() >= large_bytes) flush();
  }
  template <typename... Values>
  void print(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(buffer_), format, std::forward<Values>(values)...);
    if (buffer_.size() >= large_bytes) flush();
  }
  /// All of it is to be in the file now.
  void flush();

 private:
  static constexpr std::size_t large_bytes = std::size_t{1} << 16U;
  [[noreturn]] void fail() const;

  int descriptor_;
  std::string flag_;
  std::string buffer_;
};

}  // namespace orrery::detail
