#include "synchronisation/object_versions.hpp"

#include <vector>

#include <catch2/catch.hpp>

namespace {

using orrery::LamportRecords;
using orrery::TaskId;
using orrery::detail::ObjectVersions;
using Access = LamportRecords::Access;

LamportRecords records_of(const std::vector<std::vector<Access>>& tasks) {
  LamportRecords records;
  records.has_versions = true;
  for (const auto& accesses : tasks) {
    LamportRecords::Task task{};
    task.task = TaskId{static_cast<std::uint32_t>(records.tasks.size())};
    task.operations = accesses.size();
    task.accesses = accesses;
    records.tasks.push_back(task);
  }
  return records;
}

bool comes(ObjectVersions& versions, const Access& access) {
  if (!versions.are_due({&access, 1})) return false;
  versions.count({&access, 1});
  return true;
}

}  // namespace

TEST_CASE("a write waits for who has read its version, and a read for the version that it met") {
  const Access first{0, 7, 0, true};
  const Access read{0, 7, 1, false};
  const Access second{1, 7, 1, true};
  ObjectVersions versions;
  versions.begin(records_of({{first, second}, {read}}));
  CHECK_FALSE(comes(versions, read));
  CHECK(comes(versions, first));
  CHECK_FALSE(comes(versions, second));
  CHECK(comes(versions, read));
  CHECK(comes(versions, second));
}

TEST_CASE("a version that a thread raised which was killed before it said so is passed") {
  const Access first{0, 7, 0, true};
  const Access read{0, 7, 1, false};
  const Access behind{1, 7, 3, true};  // nobody has written 1 and 2
  const Access last{1, 7, 4, false};
  ObjectVersions versions;
  versions.begin(records_of({{first, behind}, {read, last}}));
  CHECK_FALSE(comes(versions, behind));
  CHECK(comes(versions, first));
  CHECK_FALSE(comes(versions, behind));
  CHECK_FALSE(comes(versions, last));
  CHECK(comes(versions, read));
  CHECK_FALSE(comes(versions, last));
  CHECK(comes(versions, behind));
  CHECK(comes(versions, last));
}
