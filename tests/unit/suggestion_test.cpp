#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <orrery/network_model/suggestion.hpp>

using orrery::edit_distance;
using orrery::name_hint;
using orrery::nearest_name;

namespace {
const std::vector<std::string> strategies{"random", "round_robin", "pct", "pos", "exhaustive"};
}

TEST_CASE("The edit distance counts letters put in, left out, replaced and swapped") {
  CHECK(edit_distance("", "") == 0);
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("random", "random") == 0);
  CHECK(edit_distance("random", "RANDOM") == 0);
  CHECK(edit_distance("randon", "random") == 1);
  CHECK(edit_distance("ranodm", "random") == 1);
  CHECK(edit_distance("rndom", "random") == 1);
  CHECK(edit_distance("kitten", "sitting") == 3);
}

TEST_CASE("A mistyped name finds the one that was meant") {
  CHECK(nearest_name("randon", strategies) == "random");
  CHECK(nearest_name("roundrobin", strategies) == "round_robin");
  CHECK(nearest_name("PCT", strategies) == "pct");
  CHECK(nearest_name("pso", strategies) == "pos");
  CHECK(nearest_name("exh", strategies) == "exhaustive");
}

TEST_CASE("A name that is near to none suggests none, and the hint lists them all") {
  CHECK(nearest_name("quantum", strategies).empty());
  CHECK(nearest_name("", strategies).empty());
  CHECK(nearest_name("x", {"y"}).empty());
  CHECK(name_hint("quantum", {"random", "pct"}) == "one of: random, pct");
  CHECK(name_hint("rando", strategies) == "did you mean 'random'?");
  CHECK(name_hint("x", {}) == "there are none yet");
}
