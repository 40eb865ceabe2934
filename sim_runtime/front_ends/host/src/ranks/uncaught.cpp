#include "uncaught.hpp"

#include <cstdlib>
#include <string>
#include <typeinfo>

#include <cxxabi.h>
#include <fmt/format.h>

#include "rank_context.hpp"

namespace orrery::host {
namespace {

std::string name_of(const std::type_info& type) {
  int status = 0;
  char* const text = abi::__cxa_demangle(type.name(), nullptr, nullptr, &status);
  std::string name = status == 0 ? text : type.name();
  std::free(text);
  return name;
}

/// Of the exception that is being thrown; empty: none is.
std::string words_of_exception() {
  const std::type_info* const type = abi::__cxa_current_exception_type();
  if (type == nullptr) return {};
  try {
    throw;
  } catch (const std::exception& error) {
    return fmt::format("uncaught exception: {} ({})", error.what(), name_of(*type));
  } catch (...) {
    return fmt::format("uncaught exception that is not a std::exception ({})", name_of(*type));
  }
}

/// Why somebody ends the program who has no exception.
const char* words_of_end(const ThreadContext& thread) {
  if (thread.is_leaving) {
    return "std::terminate() was called: a thread ends by pthread_exit, or is cancelled, in a "
           "function that is noexcept";
  }
  return "std::terminate() was called: by the program itself, or since a std::thread that nobody "
         "had joined was destroyed";
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
    if (!is_exception) user->last_words = words_of_end(*running().thread);
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
