// Objects that are never freed, freed twice, or used after that: pairs of programs.
#include <array>
#include <functional>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "mpi_fake_runtime.hpp"

namespace {

/// Makes an object; with `frees` it is freed, too.
using Life = std::function<void(bool frees)>;

void add(void* in, void* inout, int* count, MPI_Datatype*) {
  for (int i = 0; i < *count; ++i) static_cast<int*>(inout)[i] += static_cast<int*>(in)[i];
}

struct Kind {
  const char* text;
  Life life;
};

std::vector<Kind> kinds() {
  return {
      {"leak: MPI_Comm_dup: rank 0 never frees the communicator",
       [](bool frees) {
         MPI_Comm copy = MPI_COMM_NULL;
         MPI_Comm_dup(MPI_COMM_WORLD, &copy);
         if (frees) MPI_Comm_free(&copy);
       }},
      {"leak: MPI_Type_contiguous: rank 0 never frees the type",
       [](bool frees) {
         MPI_Datatype type = MPI_DATATYPE_NULL;
         MPI_Type_contiguous(2, MPI_INT, &type);
         if (frees) MPI_Type_free(&type);
       }},
      {"leak: MPI_Op_create: rank 0 never frees the operation",
       [](bool frees) {
         MPI_Op operation = MPI_OP_NULL;
         MPI_Op_create(add, 1, &operation);
         if (frees) MPI_Op_free(&operation);
       }},
      {"leak: MPI_Alloc_mem: rank 0 never frees the memory",
       [](bool frees) {
         void* memory = nullptr;
         MPI_Alloc_mem(16, MPI_INFO_NULL, static_cast<void*>(&memory));
         if (frees) MPI_Free_mem(memory);
       }},
      {"leak: MPI_Comm_create_keyval: rank 0 never frees the attribute key",
       [](bool frees) {
         int key = MPI_KEYVAL_INVALID;
         MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, nullptr);
         if (frees) MPI_Comm_free_keyval(&key);
       }},
      {"leak: MPI_Mprobe: the message from rank 0 with tag 3 that is taken here was never received",
       [](bool receives) {
         int value = 0;
         MPI_Message message = MPI_MESSAGE_NULL;
         MPI_Send(&value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
         MPI_Mprobe(0, 3, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
         if (receives) MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
       }},
      {"missing wait: MPI_Isend: the request that is started here (send to rank 0", [](bool waits) {
         static int value = 0;
         int in = 0;
         MPI_Request request = MPI_REQUEST_NULL;
         MPI_Isend(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
         if (waits) MPI_Wait(&request, MPI_STATUS_IGNORE);
         MPI_Recv(&in, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
       }}};
}

}  // namespace

TEST_CASE("what is never freed is found at Finalize, each kind for itself") {
  for (const Kind& kind : kinds()) {
    CAPTURE(kind.text);
    const auto leaking = fake::run(1, [&](int) { kind.life(false); });
    CHECK(leaking.message == "");
    REQUIRE(leaking.noted.size() == 1);
    CHECK_THAT(leaking.noted[0], Catch::StartsWith("mpi_usage/" + std::string(kind.text)));
    const auto mended = fake::run(1, [&](int) { kind.life(true); });
    CHECK(mended.message == "");
    CHECK(mended.noted.empty());
  }
}

TEST_CASE("the key of an attribute of MPI_COMM_WORLD is a library's") {
  const auto outcome = fake::run(1, [](int) {
    int key = MPI_KEYVAL_INVALID;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, nullptr);
    MPI_Comm_set_attr(MPI_COMM_WORLD, key, nullptr);
  });
  CHECK(outcome.message == "");
  CHECK(outcome.noted.empty());
}

TEST_CASE("all that is left behind is told") {
  const auto outcome = fake::run(1, [&](int) {
    for (const Kind& kind : kinds()) kind.life(false);
  });
  CHECK(outcome.noted.size() == kinds().size());
}

TEST_CASE("a type that was freed while a message of it is under way is no leak") {
  const auto outcome = fake::run(1, [](int) {
    static std::array<int, 2> out{};
    static std::array<int, 2> in{};
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(2, MPI_INT, &type);
    MPI_Type_commit(&type);
    std::array<MPI_Request, 2> requests{};
    MPI_Irecv(in.data(), 1, type, 0, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out.data(), 1, type, 0, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Type_free(&type);
    MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
  });
  CHECK(outcome.message == "");
  CHECK(outcome.noted.empty());
}

TEST_CASE("freeing through a kept handle is a double free, using it a use after free") {
  const auto freed_twice = fake::run(1, [](int) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(2, MPI_INT, &type);
    MPI_Datatype kept = type;
    MPI_Type_free(&type);
    MPI_Type_free(&kept);
  });
  CHECK(freed_twice.class_name == "double free");
  CHECK(freed_twice.other_rank == 0);
  const auto used = fake::run(1, [](int) {
    MPI_Op operation = MPI_OP_NULL;
    MPI_Op_create(add, 1, &operation);
    const MPI_Op kept = operation;
    MPI_Op_free(&operation);
    int one = 1;
    int sum = 0;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, kept, MPI_COMM_WORLD);
  });
  CHECK(used.class_name == "use after free");
  CHECK_THAT(used.message,
             Catch::Contains("argument op is an operation that was freed before, by MPI_Op_free"));
}

TEST_CASE("a request that was waited for through a copy of its handle is named with that line") {
  const auto outcome = fake::run(1, [](int) {
    int value = 0;
    int in = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(&in, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
    MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Request copy = request;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Wait(&copy, MPI_STATUS_IGNORE);
  });
  CHECK(outcome.class_name == "use after free");
  CHECK_THAT(outcome.message, Catch::Contains("a request that was completed before, by MPI_Wait"));
}
