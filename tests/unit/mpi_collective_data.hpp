// What tests of collective operations have in common: data that tells where it comes from.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include <catch2/catch.hpp>

#include "mpi_machine.hpp"

namespace mpi_collectives {

/// Is the operation done by one call, or by two?
enum class Form { blocking, non_blocking };

/// A size class and a number of ranks to try.
struct Case {
  int ranks = 1;
  int count = 1;  ///< of each block, or of all
  Form form = Form::blocking;
};

/// Element `index` of what `rank` contributes.
inline double element(int rank, int index) {
  return 1000.0 * rank + index % 997;
}

/// `count` elements of `rank`, from `first` on.
inline std::vector<double> elements(int rank, int count, int first = 0) {
  std::vector<double> values;
  for (int index = first; index < first + count; ++index) values.push_back(element(rank, index));
  return values;
}

inline void append(std::vector<double>& to, const std::vector<double>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

/// The operation, and the end of it.
template <typename Blocking, typename NonBlocking>
void perform(Form form, Blocking blocking, NonBlocking non_blocking) {
  if (form == Form::blocking) {
    orrery::check(blocking() == MPI_SUCCESS);
    return;
  }
  MPI_Request request = MPI_REQUEST_NULL;
  orrery::check(non_blocking(&request) == MPI_SUCCESS);
  orrery::check(request != MPI_REQUEST_NULL);
  orrery::check(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
}

/// Runs it for 1 to 9 ranks and each of these counts, blocking and not, undisturbed and in other
/// orders.
inline void in_all_cases(const std::vector<int>& counts,
                         const std::function<void(const Case&, int rank)>& program,
                         int ranks_max = 9) {
  for (int ranks = 1; ranks <= ranks_max; ++ranks) {
    for (const int count : counts) {
      for (const Form form : {Form::blocking, Form::non_blocking}) {
        for (const std::uint64_t seed : {0U, 1U, 2U}) {
          const Case now{ranks, count, form};
          const auto outcome = mpi_machine::run(
              {.ranks = ranks, .seed = seed, .eager_bytes = seed == 1 ? 0U : 65536U},
              [&](int rank) { program(now, rank); });
          INFO("ranks " << ranks << ", count " << count << ", seed " << seed << ", "
                        << (form == Form::blocking ? "blocking" : "non-blocking"));
          CHECK(mpi_machine::first_message(outcome) == "");
          REQUIRE(outcome.is_clean());
        }
      }
    }
  }
}

}  // namespace mpi_collectives
