#include "uncaught.hpp"

#include <cstdlib>
#include <string>

#include <cxxabi.h>
#include <fmt/format.h>

#include "rank_context.hpp"

namespace orrery::host {
namespace {

/// Of the exception that is being thrown; empty: none is.
std::string words_of_exception() {
  if (abi::__cxa_current_exception_type() == nullptr) return {};
  try {
    throw;
  } catch (const std::exception& error) {
    return fmt::format("uncaught exception: {}", error.what());
  } catch (...) {
    return "uncaught exception that is not a std::exception";
  }
}

[[noreturn]] void on_terminate() {
  RankContext* const user = running().user;
  if (user == nullptr) std::abort();
  bool is_exception = false;
  const std::uintptr_t thrown_at = user->last_throw;
  {
    const HostScope ours;
    user->last_words = words_of_exception();
    is_exception = !user->last_words.empty();
    if (!is_exception) user->last_words = "std::terminate() was called";
  }
  guarded_runtime().finding(is_exception ? "exception" : "crash", user->last_words.c_str(),
                            is_exception ? thrown_at : 0);
  std::abort();
}

}  // namespace

UncaughtExceptions::UncaughtExceptions() : before_(std::set_terminate(on_terminate)) {}

UncaughtExceptions::~UncaughtExceptions() {
  std::set_terminate(before_);
}

}  // namespace orrery::host
