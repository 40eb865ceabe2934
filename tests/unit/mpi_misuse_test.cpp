// Wrong use that only both ends together show: pairs of programs, wrong and mended.
#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "mpi_fake_runtime.hpp"

namespace {

/// Rank 0 sends, rank 1 receives; what comes of it.
fake::Outcome transfer(MPI_Datatype sent, int sent_count, MPI_Datatype received, int count) {
  return fake::run(2, [&](int rank) {
    std::array<std::byte, 256> data{};
    if (rank == 0) MPI_Send(data.data(), sent_count, sent, 1, 3, MPI_COMM_WORLD);
    if (rank == 1) {
      MPI_Recv(data.data(), count, received, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  });
}

MPI_Datatype committed(MPI_Datatype type) {
  MPI_Type_commit(&type);
  return type;
}

MPI_Datatype pairs_of_int_and_double() {
  const std::array<int, 2> lengths{1, 1};
  const std::array<MPI_Aint, 2> places{0, 8};
  const std::array<MPI_Datatype, 2> types{MPI_INT, MPI_DOUBLE};
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_struct(2, lengths.data(), places.data(), types.data(), &type);
  return committed(type);
}

}  // namespace

TEST_CASE("a message is received with the type signature that it was sent with") {
  const auto wrong = transfer(MPI_DOUBLE, 2, MPI_INT, 8);
  CHECK(wrong.kind == "mpi_usage");
  CHECK(wrong.class_name == "type mismatch");
  CHECK(wrong.rank == 1);
  CHECK(wrong.other_rank == 0);
  CHECK_THAT(wrong.message,
             Catch::Contains("MPI_Recv: the message from rank 0 with tag 3 was sent as 2 elements "
                             "of MPI_DOUBLE and is received as MPI_INT"));
  CHECK(transfer(MPI_DOUBLE, 2, MPI_DOUBLE, 2).message.empty());
  CHECK(transfer(MPI_DOUBLE, 2, MPI_DOUBLE, 9).message.empty());  // there may be more room
  CHECK(transfer(MPI_DOUBLE, 0, MPI_INT, 4).message.empty());     // nothing has no type
}

TEST_CASE("types of one size are still not the same, and bytes match bytes alone") {
  CHECK_FALSE(transfer(MPI_INT, 1, MPI_FLOAT, 1).message.empty());
  CHECK_FALSE(transfer(MPI_INT, 1, MPI_UNSIGNED, 1).message.empty());
  CHECK_FALSE(transfer(MPI_INT, 2, MPI_BYTE, 8).message.empty());
  CHECK_FALSE(transfer(MPI_BYTE, 8, MPI_INT, 2).message.empty());
  CHECK(transfer(MPI_BYTE, 8, MPI_BYTE, 8).message.empty());
}

TEST_CASE("what was packed fits any type, and any type fits MPI_PACKED") {
  CHECK(transfer(MPI_PACKED, 8, MPI_INT, 2).message.empty());
  CHECK(transfer(MPI_INT, 2, MPI_PACKED, 8).message.empty());
  CHECK(transfer(MPI_PACKED, 8, MPI_PACKED, 20).message.empty());
}

TEST_CASE("the signature of a derived type is that of its parts in their order") {
  const auto exchange = [](MPI_Datatype (*sent)(), MPI_Datatype (*received)(), int count) {
    return fake::run(2, [&](int rank) {
      std::array<std::byte, 256> data{};
      if (rank == 0) MPI_Send(data.data(), 1, sent(), 1, 0, MPI_COMM_WORLD);
      if (rank == 1) {
        MPI_Recv(data.data(), count, received(), 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      }
    });
  };
  const auto every_second = [] {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_vector(4, 1, 2, MPI_INT, &type);
    return committed(type);
  };
  const auto integers = [] { return MPI_INT; };
  const auto doubles = [] { return MPI_DOUBLE; };
  CHECK(exchange(every_second, integers, 4).message.empty());
  CHECK(exchange(every_second, every_second, 1).message.empty());
  CHECK(exchange(pairs_of_int_and_double, pairs_of_int_and_double, 3).message.empty());
  CHECK_FALSE(exchange(every_second, doubles, 2).message.empty());
  CHECK_FALSE(exchange(pairs_of_int_and_double, doubles, 2).message.empty());
  // The first value fits, the second does not.
  CHECK_FALSE(exchange(pairs_of_int_and_double, integers, 3).message.empty());
}

TEST_CASE("a non-blocking receive is blamed where it was posted, and the send with it") {
  const auto outcome = fake::run(2, [](int rank) {
    std::array<double, 2> data{};
    MPI_Request request = MPI_REQUEST_NULL;
    if (rank == 0) MPI_Ssend(data.data(), 2, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
    if (rank == 1) {
      MPI_Irecv(data.data(), 4, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
  });
  CHECK_THAT(outcome.message, Catch::Contains("MPI_Irecv: the message from rank 0"));
  CHECK(outcome.rank == 1);
  CHECK(outcome.other_rank == 0);
}

namespace {

/// Rank 1 may post its receive before rank 0 sends, and receives in the end.
fake::Outcome ready_send(bool posts_first, bool two_messages) {
  return fake::run(2, [&](int rank) {
    std::array<int, 2> data{};
    std::array<MPI_Request, 2> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    if (rank == 1 && posts_first) {
      MPI_Irecv(&data[0], 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[0]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
      if (two_messages) MPI_Send(&data[0], 1, MPI_INT, 1, 4, MPI_COMM_WORLD);
      MPI_Rsend(&data[0], 1, MPI_INT, 1, 4, MPI_COMM_WORLD);
      return;
    }
    if (posts_first) MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    if (!posts_first || two_messages) {
      MPI_Recv(&data[1], 1, MPI_INT, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  });
}

}  // namespace

TEST_CASE("a ready send needs a receive that is posted, one for each message") {
  const auto wrong = ready_send(false, false);
  CHECK(wrong.kind == "mpi_usage");
  CHECK(wrong.rank == 0);
  CHECK_THAT(wrong.message, Catch::Contains("MPI_Rsend: rank 1 has posted no receive for this "
                                            "message with tag 4"));
  CHECK(ready_send(true, false).message.empty());
  CHECK_FALSE(ready_send(true, true).message.empty());
}

namespace {

/// Rank 0 sends two buffered messages with room for so many; rank 1 may receive the first of them,
/// and say so, before the second is sent.
fake::Outcome buffered_sends(int room, bool receives_between) {
  return fake::run(2, [&](int rank) {
    std::array<int, 25> data{};
    int token = 0;
    const int needed = static_cast<int>(sizeof data) + MPI_BSEND_OVERHEAD;
    std::vector<char> buffer(static_cast<std::size_t>(room * needed));
    if (rank == 0) {
      MPI_Buffer_attach(buffer.data(), room * needed);
      MPI_Bsend(data.data(), 25, MPI_INT, 1, 0, MPI_COMM_WORLD);
      if (receives_between) {
        MPI_Recv(&token, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      }
      MPI_Bsend(data.data(), 25, MPI_INT, 1, 0, MPI_COMM_WORLD);
      void* detached = nullptr;
      MPI_Buffer_detach(&detached, &token);
      return;
    }
    MPI_Recv(data.data(), 25, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (receives_between) MPI_Send(&token, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    MPI_Recv(data.data(), 25, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  });
}

}  // namespace

TEST_CASE("buffered messages share the attached buffer until they are received") {
  const auto wrong = buffered_sends(1, false);
  CHECK(wrong.kind == "mpi_usage");
  CHECK(wrong.rank == 0);
  CHECK_THAT(wrong.message, Catch::Contains("MPI_Bsend: the message needs") &&
                                Catch::Contains("are taken by messages (1)"));
  CHECK(buffered_sends(2, false).message.empty());
  CHECK(buffered_sends(1, true).message.empty());
}

TEST_CASE("a buffer that was detached and attached again is empty") {
  const auto outcome = fake::run(1, [](int) {
    std::array<int, 25> data{};
    const int room = static_cast<int>(sizeof data) + MPI_BSEND_OVERHEAD;
    std::vector<char> buffer(static_cast<std::size_t>(room));
    void* detached = nullptr;
    int size = 0;
    for (int i = 0; i < 3; ++i) {
      MPI_Buffer_attach(buffer.data(), room);
      MPI_Bsend(data.data(), 25, MPI_INT, 0, i, MPI_COMM_WORLD);
      MPI_Recv(data.data(), 25, MPI_INT, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Buffer_detach(&detached, &size);
    }
  });
  CHECK(outcome.message.empty());
}

TEST_CASE("a buffer is never detached from a message that nobody receives") {
  const auto outcome = fake::run(1, [](int) {
    const int value = 1;
    std::vector<char> buffer(256);
    void* detached = nullptr;
    int size = 0;
    MPI_Buffer_attach(buffer.data(), 256);
    MPI_Bsend(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Buffer_detach(&detached, &size);
  });
  CHECK(outcome.kind == "deadlock");
}
