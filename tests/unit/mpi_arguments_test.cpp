#include <functional>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "mpi_fake_runtime.hpp"

namespace {

struct Mistake {
  const char* name;
  std::function<int(int* data, MPI_Request* request)> call;
  int code;             // that MPI_ERRORS_RETURN gives
  const char* message;  // part of the finding
};

std::vector<Mistake> mistakes_of_envelopes() {
  return {
      {"rank too high",
       [](int* data, MPI_Request*) { return MPI_Send(data, 1, MPI_INT, 2, 0, MPI_COMM_WORLD); },
       MPI_ERR_RANK,
       "MPI_Send: argument dest is 2, but the ranks of MPI_COMM_WORLD are 0 to 1 (MPI 3.1, section "
       "3.2.3)"},
      {"wildcard destination",
       [](int* data, MPI_Request*) {
         return MPI_Send(data, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD);
       },
       MPI_ERR_RANK, "argument dest is MPI_ANY_SOURCE"},
      {"source too low",
       [](int* data, MPI_Request* request) {
         return MPI_Irecv(data, 1, MPI_INT, -7, 0, MPI_COMM_WORLD, request);
       },
       MPI_ERR_RANK, "MPI_Irecv: argument source is -7"},
      {"negative tag",
       [](int* data, MPI_Request* request) {
         return MPI_Isend(data, 1, MPI_INT, 0, -5, MPI_COMM_WORLD, request);
       },
       MPI_ERR_TAG, "MPI_Isend: argument tag is -5"},
      {"wildcard tag in a send",
       [](int* data, MPI_Request*) {
         return MPI_Ssend(data, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD);
       },
       MPI_ERR_TAG, "MPI_Ssend: argument tag is -1"},
  };
}

std::vector<Mistake> mistakes_of_data_and_handles() {
  return {
      {"negative count",
       [](int* data, MPI_Request*) { return MPI_Send(data, -1, MPI_INT, 0, 0, MPI_COMM_WORLD); },
       MPI_ERR_COUNT, "argument count is -1, and must not be negative"},
      {"null type",
       [](int* data, MPI_Request*) {
         return MPI_Send(data, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD);
       },
       MPI_ERR_TYPE, "argument datatype is MPI_DATATYPE_NULL"},
      {"an address that is no type",
       [](int* data, MPI_Request*) {
         return MPI_Send(data, 1, reinterpret_cast<MPI_Datatype>(data), 0, 0, MPI_COMM_WORLD);
       },
       MPI_ERR_TYPE, "argument datatype is no datatype"},
      {"null buffer",
       [](int*, MPI_Request*) { return MPI_Send(nullptr, 1, MPI_INT, 0, 0, MPI_COMM_WORLD); },
       MPI_ERR_BUFFER, "argument buf is a null pointer"},
      {"null communicator",
       [](int* data, MPI_Request*) { return MPI_Send(data, 1, MPI_INT, 0, 0, MPI_COMM_NULL); },
       MPI_ERR_COMM, "argument comm is MPI_COMM_NULL"},
      {"root too high",
       [](int* data, MPI_Request*) { return MPI_Bcast(data, 1, MPI_INT, 4, MPI_COMM_WORLD); },
       MPI_ERR_ROOT, "MPI_Bcast: argument root is 4"},
      {"null operation",
       [](int* data, MPI_Request*) {
         return MPI_Allreduce(data, data + 1, 1, MPI_INT, MPI_OP_NULL, MPI_COMM_WORLD);
       },
       MPI_ERR_OP, "argument op is MPI_OP_NULL"},
      {"operation that the type does not have",
       [](int* data, MPI_Request*) {
         return MPI_Allreduce(data, data + 1, 1, MPI_FLOAT, MPI_BAND, MPI_COMM_WORLD);
       },
       MPI_ERR_OP, "MPI_BAND is not defined for MPI_FLOAT (MPI 3.1, section 5.9.2)"},
      {"same memory for both buffers",
       [](int* data, MPI_Request*) {
         return MPI_Allreduce(data, data, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
       },
       MPI_ERR_BUFFER, "MPI_IN_PLACE is for that"},
      {"no request to wait for",
       [](int*, MPI_Request*) { return MPI_Wait(nullptr, MPI_STATUS_IGNORE); }, MPI_ERR_ARG,
       "MPI_Wait: argument request is a null pointer"},
      {"buffered send without a buffer",
       [](int* data, MPI_Request*) { return MPI_Bsend(data, 1, MPI_INT, 0, 0, MPI_COMM_WORLD); },
       MPI_ERR_BUFFER, "MPI_Bsend: the message needs 132 bytes of buffer"},
      {"predefined type freed",
       [](int*, MPI_Request*) {
         MPI_Datatype type = MPI_INT;
         return MPI_Type_free(&type);
       },
       MPI_ERR_TYPE, "argument datatype is MPI_INT, and a predefined type cannot be freed"},
      {"world freed",
       [](int*, MPI_Request*) {
         MPI_Comm world = MPI_COMM_WORLD;
         return MPI_Comm_free(&world);
       },
       MPI_ERR_COMM, "a predefined communicator cannot be freed"},
  };
}

std::vector<Mistake> mistakes() {
  auto all = mistakes_of_envelopes();
  for (auto& mistake : mistakes_of_data_and_handles()) all.push_back(mistake);
  return all;
}

}  // namespace

TEST_CASE("a wrong argument is a finding that says call, argument, value and chapter") {
  for (const Mistake& mistake : mistakes()) {
    INFO(mistake.name);
    const auto outcome = fake::run(2, [&](int rank) {
      int data[4] = {};
      MPI_Request request = MPI_REQUEST_NULL;
      if (rank == 1) mistake.call(data, &request);
    });
    CHECK(outcome.kind == "mpi_usage");
    CHECK(outcome.rank == 1);
    CHECK_THAT(outcome.message, Catch::Contains(mistake.message));
  }
}

TEST_CASE("a wrong argument is an error code where the program set MPI_ERRORS_RETURN") {
  for (const Mistake& mistake : mistakes()) {
    INFO(mistake.name);
    const auto outcome = fake::run(2, [&](int rank) {
      int data[4] = {};
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
      if (rank == 1) CHECK(mistake.call(data, &request) == mistake.code);
    });
    CHECK(outcome.message == "");
  }
}

TEST_CASE("calls before Init and after Finalize are findings") {
  fake::Runtime early;
  const auto before = early.run(1, [](int) {
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
  });
  CHECK_THAT(before.message, Catch::Contains("MPI_Comm_size: called before MPI_Init"));
  fake::Runtime late;
  const auto after = late.run(1, [](int) {
    int flag = 0;
    MPI_Initialized(&flag);
    CHECK(flag == 0);
    MPI_Init(nullptr, nullptr);
    MPI_Initialized(&flag);
    CHECK(flag == 1);
    MPI_Finalize();
    MPI_Finalized(&flag);
    CHECK(flag == 1);
    MPI_Barrier(MPI_COMM_WORLD);
  });
  CHECK_THAT(after.message, Catch::Contains("MPI_Barrier: called after MPI_Finalize"));
}

TEST_CASE("nothing of one run is left to the next") {
  for (int turn = 0; turn < 2; ++turn) {
    fake::Runtime runtime;
    const auto outcome = fake::run(runtime, 2, [](int) {
      MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
      MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
      MPI_Comm_get_errhandler(MPI_COMM_SELF, &handler);
      CHECK(handler == MPI_ERRORS_ARE_FATAL);
      MPI_Barrier(MPI_COMM_WORLD);
    });
    CHECK(outcome.message == "");
  }
}

TEST_CASE("the environment answers with the machine's names, clock and levels") {
  fake::Runtime runtime;
  const auto outcome = runtime.run(1, [](int) {
    int provided = -1;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    CHECK(provided == MPI_THREAD_FUNNELED);
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    MPI_Get_processor_name(text, &length);
    CHECK(std::string(text) == "node7");
    CHECK(length == 5);
    MPI_Error_string(MPI_ERR_TRUNCATE, text, &length);
    CHECK_THAT(std::string(text), Catch::StartsWith("MPI_ERR_TRUNCATE"));
    CHECK(MPI_Wtime() == 0.0);
    const double start = MPI_Wtime();
    while (MPI_Wtime() < start + 1e-5) {
    }
    CHECK(MPI_Wtick() < 1e-9);
    MPI_Finalize();
  });
  CHECK(outcome.message == "");
}

TEST_CASE("Abort ends the job with its status") {
  const auto outcome = fake::run(3, [](int rank) {
    if (rank == 1) MPI_Abort(MPI_COMM_WORLD, 7);
    MPI_Barrier(MPI_COMM_WORLD);
  });
  CHECK(outcome.kind == "exit");
  CHECK(outcome.message == "7");
}

TEST_CASE("waiting for seconds to pass takes few calls, and ends close to its time") {
  const auto outcome = fake::run(1, [](int) {
    for (const double seconds : {1e-4, 2.0, 3600.0}) {
      const double start = MPI_Wtime();
      std::uint32_t calls = 0;
      while (MPI_Wtime() - start < seconds) ++calls;
      CHECK(calls < 4000);
      CHECK(MPI_Wtime() - start < seconds * 1.03);
    }
  });
  CHECK(outcome.message == "");
}
