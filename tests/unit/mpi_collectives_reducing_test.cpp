// Reductions and scans against what each rank can work out by itself.
#include <array>
#include <complex>
#include <cstring>
#include <numeric>

#include "mpi_collective_data.hpp"

using namespace mpi_collectives;

namespace {

// For each of the algorithms: few elements, and more than a rank's part of 16 KiB.
const std::vector<int> sizes{0, 3, 5'000};

// 2 x 2 matrices modulo a prime: their product is associative and does not commute.
struct Matrix {
  std::array<std::uint32_t, 4> cells{1, 0, 0, 1};
  bool operator==(const Matrix&) const = default;
};

Matrix operator*(const Matrix& a, const Matrix& b) {
  const auto cell = [&](std::size_t row, std::size_t column) {
    constexpr std::uint64_t prime = 65'521;
    const std::uint64_t sum = std::uint64_t{a.cells[2 * row]} * b.cells[column] +
                              std::uint64_t{a.cells[2 * row + 1]} * b.cells[2 + column];
    return static_cast<std::uint32_t>(sum % prime);
  };
  return {{cell(0, 0), cell(0, 1), cell(1, 0), cell(1, 1)}};
}

void multiply(void* in, void* inout, int* count, MPI_Datatype*) {
  const auto* const left = static_cast<const Matrix*>(in);
  auto* const right = static_cast<Matrix*>(inout);
  for (int index = 0; index < *count; ++index) right[index] = left[index] * right[index];
}

Matrix matrix_of(int rank, int index) {
  const auto r = static_cast<std::uint32_t>(rank);
  const auto i = static_cast<std::uint32_t>(index);
  return {{r + 1, i % 13 + 1, r * 7 + 2, i % 5 + r}};
}

std::vector<Matrix> matrices(int rank, int count) {
  std::vector<Matrix> values;
  for (int index = 0; index < count; ++index) values.push_back(matrix_of(rank, index));
  return values;
}

// Of the ranks from `first` to `end` - 1, in order.
std::vector<Matrix> product(int first, int end, int count) {
  std::vector<Matrix> values(static_cast<std::size_t>(count));
  for (int rank = first; rank < end; ++rank)
    for (int index = 0; index < count; ++index) {
      auto& value = values[static_cast<std::size_t>(index)];
      value = value * matrix_of(rank, index);
    }
  return values;
}

// The operation and its type, for the time of a program.
struct MatrixProduct {
  MatrixProduct() {
    MPI_Type_contiguous(4, MPI_UNSIGNED, &type);
    MPI_Type_commit(&type);
    MPI_Op_create(multiply, 0, &operation);
  }
  ~MatrixProduct() {
    MPI_Op_free(&operation);
    MPI_Type_free(&type);
  }
  MatrixProduct(const MatrixProduct&) = delete;
  MatrixProduct& operator=(const MatrixProduct&) = delete;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Op operation = MPI_OP_NULL;
};

}  // namespace

TEST_CASE("MPI_Reduce and MPI_Allreduce combine in rank order, for every root and in place") {
  in_all_cases(sizes, [](const Case& now, int rank) {
    const MatrixProduct with;
    const auto expected = product(0, now.ranks, now.count);
    const int count = now.count;
    for (const int root : {0, now.ranks / 2, now.ranks - 1}) {
      auto mine = matrices(rank, count);
      std::vector<Matrix> result(mine.size());
      const bool in_place = rank == root && root != 0;
      if (in_place) result = mine;
      const void* const from = in_place ? MPI_IN_PLACE : mine.data();
      perform(
          now.form,
          [&] {
            return MPI_Reduce(from, result.data(), count, with.type, with.operation, root,
                              MPI_COMM_WORLD);
          },
          [&](MPI_Request* request) {
            return MPI_Ireduce(from, result.data(), count, with.type, with.operation, root,
                               MPI_COMM_WORLD, request);
          });
      orrery::check(rank != root || result == expected);
    }
    const auto mine = matrices(rank, count);
    auto everywhere = mine;
    perform(
        now.form,
        [&] {
          return MPI_Allreduce(MPI_IN_PLACE, everywhere.data(), count, with.type, with.operation,
                               MPI_COMM_WORLD);
        },
        [&](MPI_Request* request) {
          std::fill(everywhere.begin(), everywhere.end(), Matrix{});
          return MPI_Iallreduce(mine.data(), everywhere.data(), count, with.type, with.operation,
                                MPI_COMM_WORLD, request);
        });
    orrery::check(everywhere == expected);
  });
}

TEST_CASE("MPI_Reduce_scatter_block and MPI_Reduce_scatter give each rank its part") {
  in_all_cases({0, 2, 900}, [](const Case& now, int rank) {
    const MatrixProduct with;
    const int count = now.count;
    const auto all = product(0, now.ranks, count * now.ranks);
    const auto mine = matrices(rank, count * now.ranks);
    const auto part = [&](int first, int length) {
      return std::vector<Matrix>(all.begin() + first, all.begin() + first + length);
    };
    std::vector<Matrix> result(static_cast<std::size_t>(count));
    perform(
        now.form,
        [&] {
          return MPI_Reduce_scatter_block(mine.data(), result.data(), count, with.type,
                                          with.operation, MPI_COMM_WORLD);
        },
        [&](MPI_Request* request) {
          return MPI_Ireduce_scatter_block(mine.data(), result.data(), count, with.type,
                                           with.operation, MPI_COMM_WORLD, request);
        });
    orrery::check(result == part(rank * count, count));
    // Blocks of any size, some of them empty: those of ranks 1 and 2 go to rank 0.
    std::vector<int> counts(static_cast<std::size_t>(now.ranks), count);
    for (std::size_t peer : {1U, 2U}) {
      if (peer >= counts.size()) break;
      counts[0] += counts[peer];
      counts[peer] = 0;
    }
    const int own = counts[static_cast<std::size_t>(rank)];
    const int first = std::accumulate(counts.begin(), counts.begin() + rank, 0);
    std::vector<Matrix> varied(static_cast<std::size_t>(own));
    perform(
        now.form,
        [&] {
          return MPI_Reduce_scatter(mine.data(), varied.data(), counts.data(), with.type,
                                    with.operation, MPI_COMM_WORLD);
        },
        [&](MPI_Request* request) {
          const int error = MPI_Ireduce_scatter(mine.data(), varied.data(), counts.data(),
                                                with.type, with.operation, MPI_COMM_WORLD, request);
          std::fill(counts.begin(), counts.end(), -1);  // they were copied
          return error;
        });
    orrery::check(varied == part(first, own));
    auto in_place = mine;
    MPI_Reduce_scatter_block(MPI_IN_PLACE, in_place.data(), count, with.type, with.operation,
                             MPI_COMM_WORLD);
    in_place.resize(static_cast<std::size_t>(count));
    orrery::check(in_place == part(rank * count, count));
  });
}

TEST_CASE("MPI_Scan and MPI_Exscan give each rank what came before") {
  const auto program = [](const Case& now, int rank) {
    const MatrixProduct with;
    const int count = now.count;
    const auto mine = matrices(rank, count);
    std::vector<Matrix> upto(mine.size());
    perform(
        now.form,
        [&] {
          return MPI_Scan(mine.data(), upto.data(), count, with.type, with.operation,
                          MPI_COMM_WORLD);
        },
        [&](MPI_Request* request) {
          return MPI_Iscan(mine.data(), upto.data(), count, with.type, with.operation,
                           MPI_COMM_WORLD, request);
        });
    orrery::check(upto == product(0, rank + 1, count));
    std::vector<Matrix> before(mine.size(), Matrix{{9, 9, 9, 9}});
    perform(
        now.form,
        [&] {
          return MPI_Exscan(mine.data(), before.data(), count, with.type, with.operation,
                            MPI_COMM_WORLD);
        },
        [&](MPI_Request* request) {
          return MPI_Iexscan(mine.data(), before.data(), count, with.type, with.operation,
                             MPI_COMM_WORLD, request);
        });
    const bool is_untouched = before == std::vector<Matrix>(mine.size(), Matrix{{9, 9, 9, 9}});
    orrery::check(rank == 0 ? is_untouched : before == product(0, rank, count));
    auto in_place = mine;
    MPI_Scan(MPI_IN_PLACE, in_place.data(), count, with.type, with.operation, MPI_COMM_WORLD);
    orrery::check(in_place == upto);
    in_place = mine;
    MPI_Exscan(MPI_IN_PLACE, in_place.data(), count, with.type, with.operation, MPI_COMM_WORLD);
    orrery::check(in_place == (rank == 0 ? mine : before));
  };
  in_all_cases({0, 1, 300}, program);
  for (int ranks = 17; ranks < 36; ++ranks) {  // these go along a tree
    const auto outcome = mpi_machine::run({.ranks = ranks}, [&](int rank) {
      program({ranks, 3, Form::blocking}, rank);
    });
    INFO(ranks);
    REQUIRE(mpi_machine::first_message(outcome) == "");
  }
}

TEST_CASE("a reduction of floating-point numbers gives the same bits at all ranks, in every run") {
  std::vector<double> first;
  for (const int count : {10, 10'000}) {
    first.clear();
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      std::vector<std::vector<double>> results(
          7, std::vector<double>(static_cast<std::size_t>(count)));
      const auto outcome = mpi_machine::run({.ranks = 7, .seed = seed}, [&](int rank) {
        std::vector<double> mine;
        for (int index = 0; index < count; ++index)
          mine.push_back(1.0 / (1 + rank + index) * (rank % 2 == 0 ? 1e10 : 1e-10));
        MPI_Allreduce(mine.data(), results[static_cast<std::size_t>(rank)].data(), count,
                      MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      });
      REQUIRE(mpi_machine::first_message(outcome) == "");
      if (first.empty()) first = results[0];
      for (const auto& result : results)
        CHECK(std::memcmp(result.data(), first.data(), first.size() * sizeof(double)) == 0);
    }
  }
}

namespace {

template <typename T>
T reduced(T in, T inout, MPI_Datatype type, MPI_Op operation) {
  orrery::check(MPI_Reduce_local(&in, &inout, 1, type, operation) == MPI_SUCCESS);
  return inout;
}

template <typename T>
void check_integers(MPI_Datatype type) {
  const auto of = [&](int a, int b, MPI_Op operation) {
    return reduced(static_cast<T>(a), static_cast<T>(b), type, operation);
  };
  orrery::check(of(5, 3, MPI_MAX) == 5 && of(5, 3, MPI_MIN) == 3);
  orrery::check(of(5, 3, MPI_SUM) == 8 && of(5, 3, MPI_PROD) == 15);
  orrery::check(of(5, 0, MPI_LAND) == 0 && of(5, 3, MPI_LAND) == 1);
  orrery::check(of(5, 0, MPI_LOR) == 1 && of(0, 0, MPI_LOR) == 0);
  orrery::check(of(5, 3, MPI_LXOR) == 0 && of(0, 3, MPI_LXOR) == 1);
  orrery::check(of(6, 3, MPI_BAND) == 2 && of(6, 3, MPI_BOR) == 7 && of(6, 3, MPI_BXOR) == 5);
}

template <typename T>
void check_floating(MPI_Datatype type) {
  const auto of = [&](MPI_Op operation) { return reduced(T(2.5), T(4), type, operation); };
  orrery::check(of(MPI_MAX) == T(4) && of(MPI_MIN) == T(2.5));
  orrery::check(of(MPI_SUM) == T(6.5) && of(MPI_PROD) == T(10));
}

template <typename T>
void check_complex(MPI_Datatype type) {
  const std::complex<T> a(1, 2);
  const std::complex<T> b(3, -1);
  orrery::check(reduced(a, b, type, MPI_SUM) == std::complex<T>(4, 1));
  orrery::check(reduced(a, b, type, MPI_PROD) == std::complex<T>(5, 5));
}

template <typename T>
struct Located {
  T value;
  int index;
};

template <typename T>
void check_pairs(MPI_Datatype type) {
  const auto of = [&](Located<T> a, Located<T> b, MPI_Op operation) {
    return reduced(a, b, type, operation).index;
  };
  orrery::check(of({1, 7}, {2, 5}, MPI_MAXLOC) == 5 && of({1, 7}, {2, 5}, MPI_MINLOC) == 7);
  orrery::check(of({2, 7}, {2, 5}, MPI_MAXLOC) == 5 && of({2, 5}, {2, 7}, MPI_MINLOC) == 5);
}

}  // namespace

TEST_CASE("MPI_Reduce_local applies every operation that the table of section 5.9.2 has") {
  const auto outcome = mpi_machine::run({.ranks = 1}, [](int) {
    check_integers<signed char>(MPI_SIGNED_CHAR);
    check_integers<unsigned char>(MPI_UNSIGNED_CHAR);
    check_integers<short>(MPI_SHORT);
    check_integers<unsigned short>(MPI_UNSIGNED_SHORT);
    check_integers<int>(MPI_INT);
    check_integers<unsigned>(MPI_UNSIGNED);
    check_integers<long>(MPI_LONG);
    check_integers<unsigned long>(MPI_UNSIGNED_LONG);
    check_integers<long long>(MPI_LONG_LONG);
    check_integers<unsigned long long>(MPI_UNSIGNED_LONG_LONG);
    check_integers<std::int8_t>(MPI_INT8_T);
    check_integers<std::uint16_t>(MPI_UINT16_T);
    check_integers<std::int32_t>(MPI_INT32_T);
    check_integers<std::uint64_t>(MPI_UINT64_T);
    check_integers<MPI_Aint>(MPI_AINT);
    check_integers<MPI_Offset>(MPI_OFFSET);
    check_integers<MPI_Count>(MPI_COUNT);
    check_floating<float>(MPI_FLOAT);
    check_floating<double>(MPI_DOUBLE);
    check_floating<long double>(MPI_LONG_DOUBLE);
    check_complex<float>(MPI_C_COMPLEX);
    check_complex<double>(MPI_C_DOUBLE_COMPLEX);
    check_pairs<float>(MPI_FLOAT_INT);
    check_pairs<double>(MPI_DOUBLE_INT);
    check_pairs<long>(MPI_LONG_INT);
    check_pairs<short>(MPI_SHORT_INT);
    check_pairs<int>(MPI_2INT);
    orrery::check(reduced(true, false, MPI_C_BOOL, MPI_LOR));
    orrery::check(!reduced(true, true, MPI_C_BOOL, MPI_LXOR));
    orrery::check(reduced<unsigned char>(6, 3, MPI_BYTE, MPI_BAND) == 2);
    int commutes = 0;
    MPI_Op_commutative(MPI_SUM, &commutes);
    orrery::check(commutes == 1);
  });
  CHECK(mpi_machine::first_message(outcome) == "");
}

TEST_CASE("an operation that is not defined for a type is a finding") {
  const std::vector<std::pair<MPI_Datatype, MPI_Op>> wrong{
      {MPI_DOUBLE, MPI_BAND}, {MPI_DOUBLE, MPI_LAND},     {MPI_CHAR, MPI_SUM},
      {MPI_BYTE, MPI_SUM},    {MPI_C_BOOL, MPI_MAX},      {MPI_C_DOUBLE_COMPLEX, MPI_MAX},
      {MPI_2INT, MPI_SUM},    {MPI_INT, MPI_MAXLOC},      {MPI_WCHAR, MPI_MAX},
      {MPI_PACKED, MPI_BXOR}, {MPI_DOUBLE_INT, MPI_PROD}, {MPI_FLOAT, MPI_LXOR},
      {MPI_INT, MPI_REPLACE}, {MPI_INT, MPI_NO_OP},       {MPI_INT, MPI_OP_NULL}};
  for (const auto& [type, operation] : wrong) {
    const auto outcome = mpi_machine::run({.ranks = 1}, [&, t = type, o = operation](int) {
      std::array<char, 32> in{};
      std::array<char, 32> out{};
      MPI_Allreduce(in.data(), out.data(), 1, t, o, MPI_COMM_WORLD);
    });
    REQUIRE(outcome.findings.size() == 1);
    CHECK(outcome.findings.front().kind == orrery::FindingKind::mpi_usage);
    CHECK_THAT(mpi_machine::first_message(outcome), Catch::Contains("section 5.9"));
  }
}

namespace {

void communicates(void*, void*, int*, MPI_Datatype*) {
  MPI_Barrier(MPI_COMM_WORLD);
}

void asks(void* in, void* inout, int* count, MPI_Datatype* type) {
  int size = 0;
  int ranks = 0;
  MPI_Type_size(*type, &size);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int index = 0; index < *count; ++index)
    static_cast<int*>(inout)[index] += static_cast<int*>(in)[index];
}

}  // namespace

TEST_CASE("the function of an operation may ask, but not communicate") {
  const auto outcome = [](MPI_User_function* function) {
    return mpi_machine::run({.ranks = 3}, [function](int rank) {
      MPI_Op operation = MPI_OP_NULL;
      MPI_Op_create(function, 1, &operation);
      int sum = 0;
      MPI_Allreduce(&rank, &sum, 1, MPI_INT, operation, MPI_COMM_WORLD);
      orrery::check(sum == 3);
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Iallreduce(&rank, &sum, 1, MPI_INT, operation, MPI_COMM_WORLD, &request);
      MPI_Op_free(&operation);  // in use, which is legal (section 5.9.5)
      MPI_Barrier(MPI_COMM_WORLD);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    });
  };
  CHECK(mpi_machine::first_message(outcome(asks)) == "");
  CHECK_THAT(mpi_machine::first_message(outcome(communicates)),
             Catch::Contains("MPI_Barrier: called by the function of a reduction operation"));
}
