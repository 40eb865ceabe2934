// A fence for all threads of the process at once, paid for by who asks for it.
#pragma once

namespace orrery::on_hardware {

/// When `pass` returns, each thread of the process has had a full fence since it was called.  So of
/// two threads that each write a word and then read the other's, the one that comes here in between
/// needs no help from the other: that one need not fence itself, if the compiler keeps its order
/// (membarrier(2); "asymmetric fences").
class AllThreadsFence {
 public:
  /// False: the system has none.
  static bool begin();
  /// Once `begin` has given true.
  static void pass();
};

}  // namespace orrery::on_hardware
