// The C library's own functions, behind ours.
#pragma once

#include <atomic>
#include <cstdlib>

#include <dlfcn.h>

namespace orrery::on_hardware {

/// The next one of a name after this library, looked up by its first caller.  Several may come at
/// once, and find the same: a static variable that is initialised when it is come to has no guard
/// in this library (see CMakeLists.txt), and others could find it null.
class NextSymbol {
 public:
  /// `version`: that one, where there are several.
  [[nodiscard]] void* by_name(const char* name, const char* version = nullptr) {
    void* const found = found_.load(std::memory_order_relaxed);
    return __builtin_expect(static_cast<long>(found != nullptr), 1) != 0 ? found
                                                                         : look_up(name, version);
  }

 private:
  [[gnu::cold, gnu::noinline]] void* look_up(const char* name, const char* version) {
    void* found = version != nullptr ? dlvsym(RTLD_NEXT, name, version) : nullptr;
    if (found == nullptr) found = dlsym(RTLD_NEXT, name);
    if (found == nullptr) std::abort();
    found_.store(found, std::memory_order_relaxed);
    return found;
  }

  std::atomic<void*> found_ = nullptr;
};

/// `next<&::open>("open")`.  (As a template's argument the type of such a function would lose its
/// attributes, which gcc warns of: so no `NextFunction`.)
template <auto Own>
decltype(Own) next(const char* name) {
  static constinit NextSymbol found;
  return reinterpret_cast<decltype(Own)>(found.by_name(name));
}

/// Of a name that is a type's, too, or of which there are several versions.
///
///     static constinit NextFunction<int (*)(struct sysinfo*)> real_one;
///     return real_one.by_name("sysinfo")(result);
template <typename Function>
class NextFunction {
 public:
  [[nodiscard]] Function by_name(const char* name, const char* version = nullptr) {
    return reinterpret_cast<Function>(found_.by_name(name, version));
  }

 private:
  NextSymbol found_;
};

}  // namespace orrery::on_hardware
