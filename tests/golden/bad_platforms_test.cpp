// Bad platforms of every kind: status 2, one clear message with file and line, and what to do.
#include <iterator>
#include <string>

#include <catch2/catch.hpp>
#include <unistd.h>

#include "command_runner.hpp"

namespace {

using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::WorkingDirectory;

const std::string header =
    "<?xml version='1.0'?>\n"
    "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
    "<platform version=\"4.1\">\n";

/// A file whose content is line 4 and what follows.
struct Platform {
  const char* content;
  int line;           ///< that is named; 0: none
  const char* names;  ///< the message must speak of this
  const char* hint;   ///< the hint must say this
};

constexpr Platform platforms[] = {
    // not a platform
    {"<zone id='a' routing='Full'>\n<host id='x' speed='1Gf'/>\n</zoen></platform>", 6, "</zoen>",
     "manual"},
    {"<zone id='a' routing='Full'>\n<host id='x' speed='1Gf'", 5, "EOF", "manual"},
    {"<zone id='a' routing='Full'/></platform>", 0, "no hosts", "<cluster>"},
    {"</platform>", 0, "no hosts", "<cluster>"},
    {"<zone id='a' routing='Fool'><host id='x' speed='1Gf'/></zone></platform>", 4, "'Fool'",
     "Floyd"},
    {"<zone id='a' routing='Full'>\n<host id='x' speed='1Gf' colour='red'/></zone></platform>", 5,
     "colour", "manual"},
    {"<cluster id='c' prefix='n' suffix='' radical='0-15' speed='1Gf' bw='1MBps' lat='1us'\n"
     " topology='FAT_TREE' topo_parameters='2;4,4'/></platform>",
     5, "Fat trees", "manual"},
    {"<cluster id='c' prefix='n' suffix='' radical='0-9' speed='1Gf' bw='1MBps' lat='1us'\n"
     " topology='FAT_TREE' topo_parameters='2;4,4;1,2;1,2'/></platform>",
     0, "radical", "manual"},
    {"<config>\n<prop id='network/model' value='ns-3'/></config>\n"
     "<zone id='a' routing='Full'><host id='x' speed='1Gf'/></zone></platform>",
     5, "ns-3", "sharing"},
    // names
    {"<zone id='a' routing='Full'>\n<host id='x' speed='1Gf'/>\n<host id='x' speed='1Gf'/>\n"
     "</zone></platform>",
     6, "'x'", "name of its own"},
    {"<zone id='a' routing='Full'>\n<host id='x' speed='1Gf'/>\n"
     "<link id='l' bandwidth='1MBps' latency='1us'/>\n"
     "<link id='l' bandwidth='1MBps' latency='1us'/></zone></platform>",
     7, "'l'", "name of its own"},
    {"<zone id='a' routing='Full'>\n<host id='x' speed='1Gf'/>\n"
     "<link id='l' bandwidth='1MBps' latency='1us'/>\n"
     "<route src='x' dst='nobody'><link_ctn id='l'/></route></zone></platform>",
     7, "nobody", "declare the host"},
    {"<zone id='a' routing='Full'>\n<host id='x' speed='1Gf'/><host id='y' speed='1Gf'/>\n"
     "<route src='x' dst='y'>\n<link_ctn id='k'/></route></zone></platform>",
     7, "'k'", "declare it before"},
    {"<zone id='a' routing='Full'>\n<host id='x' speed='1Gf'/><host id='y' speed='1Gf'/>\n"
     "<link id='l' bandwidth='1MBps' latency='1us'/>\n"
     "<route src='x' dst='y'><link_ctn id='l'/></route>\n"
     "<route src='x' dst='y'><link_ctn id='l'/></route></zone></platform>",
     8, "two routes", "symmetrical"},
    {"<zone id='a' routing='Full'>\n<host id='x' speed='1Gf'/><host id='y' speed='1Gf'/>\n"
     "</zone></platform>",
     0, "no route from host 'x' to host 'y'", "<route>"},
    {"<zone id='a' routing='Full'>\n<host id='x' speed='1Gf'/><host id='y' speed='1Gf'/>\n"
     "<link id='l' bandwidth='1MBps' latency='1us'><prop id='jitter' value='often'/></link>\n"
     "<route src='x' dst='y'><link_ctn id='l'/></route></zone></platform>",
     0, "often", "us"},
    // speeds
    {"<zone id='a' routing='Full'>\n<host id='x' speed='0Gf'/></zone></platform>", 5, "'0Gf'",
     "1Gf"},
    {"<zone id='a' routing='Full'>\n<host id='x' speed='-1Gf'/></zone></platform>", 5, "'-1Gf'",
     "1Gf"},
    {"<zone id='a' routing='Full'>\n<host id='x' speed='2Gf,1e9'/></zone></platform>", 5, "no unit",
     "1Gf"},
    {"<cluster id='c' prefix='n' suffix='' radical='0-3' speed='1Gf' bw='0Bps' lat='1us'/>"
     "</platform>",
     4, "'0Bps'", "125MBps"},
    {"<cluster id='c' prefix='n' suffix='' radical='0-three' speed='1Gf' bw='1Bps' lat='1us'/>"
     "</platform>",
     4, "three", "manual"},
};

/// Two hosts, and a link in line 6 with these attributes.
struct Link {
  const char* attributes;
  const char* names;
  const char* hint;
};

constexpr Link links[] = {
    {"bandwidth='0MBps' latency='1us'", "'0MBps'", "125MBps"},
    {"bandwidth='-5MBps' latency='1us'", "'-5MBps'", "125MBps"},
    {"bandwidth='nanBps' latency='1us'", "'nanBps'", "125MBps"},
    {"bandwidth='infBps' latency='1us'", "'infBps'", "125MBps"},
    {"bandwidth='fast' latency='1us'", "'fast'", "125MBps"},
    {"bandwidth='1000000' latency='1us'", "no unit", "125MBps"},
    {"bandwidth='10us' latency='1us'", "unit", "manual"},
    {"bandwidth='1MBps' latency='5'", "no unit", "50us"},
    {"bandwidth='1MBps' latency='-1us'", "'-1us'", "50us"},
    {"bandwidth='1MBps' latency='nans'", "'nans'", "50us"},
    {"latency='1us'", "bandwidth", "manual"},
    {"bandwidth='1MBps' latency='1us' sharing_policy='SOMETIMES'", "sharing_policy", "manual"},
    {"bandwidth='1MBps' latency='1us' bandwidth_file='missing.txt'", "'missing.txt'", "beside"},
    {"bandwidth='1MBps' latency='1us' latency_file='missing.txt'", "'missing.txt'", "beside"},
    {"bandwidth='1MBps' latency='1us' bandwidth_file='profile.txt'", "profile", "'profile.txt'"},
    {"bandwidth='1MBps' latency='1us' latency_file='profile.txt'", "profile", "'profile.txt'"},
};

std::string with_link(const Link& link) {
  return "<zone id='a' routing='Full'>\n<host id='x' speed='1Gf'/><host id='y' speed='1Gf'/>\n"
         "<link id='l' " +
         std::string(link.attributes) +
         "/>\n<route src='x' dst='y'><link_ctn id='l'/></route></zone></platform>";
}

/// The first line of a file is not what it should be.
struct Start {
  const char* from;
  const char* to;
  const char* names;
  const char* hint;
};

constexpr Start starts[] = {
    {"version=\"4.1\"", "version=\"7\"", "'7'", "simgrid_update_xml"},
    {"version=\"4.1\"", "version=\"3\"", "'3'", "simgrid_update_xml"},
    {" version=\"4.1\"", "", "version", "simgrid_update_xml"},
    {"<platform", "<platfrom", "no <platform>", "orrery list networks"},
};

/// Words after `orrery run -n 2`.
struct Flag {
  const char* words;
  const char* names;
  const char* hint;
};

constexpr Flag flags[] = {
    {"--platform ./missing.xml", "missing.xml", "orrery list networks"},
    {"--platform ./directory.xml", "directory", "platform file"},
    {"--platform ./plain.txt", "plain.txt", "orrery list networks"},
    {"--platform ./empty.xml", "empty.xml", "orrery list networks"},
    {"--platform good.xml:sharing=fair", "'fair'", "plain or simgrid"},
    {"--platform good.xml:sharing=simgrid,model=LV09", "'LV09'", "CM02 or LV08"},
    {"--platform good.xml:model=CM02", "'model'", "sharing=simgrid"},
    {"--platform good.xml:sharing=simgrid,crosstraffic=5", "'5'", "yes or no"},
    {"--platform good.xml:sharnig=plain", "sharnig", "sharing"},
    {"--platform good.xml:sharing=", "'sharing='", "key=value"},
    {"--platform good.xml:16", "good.xml:16", "leave"},
    {"--platform constant:jitter=normal-5us", "'normal-5us'", "exponential-5us"},
    {"--platform ethernet-1g:jitter=5", "'5'", "5us"},
    {"--platform constant:0", "0 hosts", "from 1"},
    {"--platform ethernet-1g:0", "0 hosts", "from 1"},
    {"--platform ethernet-1g:bandwidth=infinity", "bandwidth", "constant"},
    {"--platform ethernet-1g:bandwidth=0", "bandwidth", ""},
    {"--platform constant:latency=-5us", "latency", "5us"},
};

void check_refused(const WorkingDirectory& here, const std::string& words, const std::string& where,
                   const std::string& names, const std::string& hint) {
  INFO("orrery " << words << '\n' << here.read("bad.xml"));
  const CommandResult result = here.orrery("run -n 2 " + words + " ./app");
  INFO("standard error:\n" << result.err);
  CHECK(result.status == 2);
  CHECK(result.out.empty());
  CHECK(result.err.rfind("orrery: " + where, 0) == 0);
  const std::size_t second = result.err.find("\nhint: ");
  REQUIRE(second != std::string::npos);
  CHECK(has(result.err.substr(0, second), names));
  CHECK(has(result.err.substr(second), hint));
  CHECK(result.err.find('\n', second + 1) == result.err.size() - 1);
  const CommandResult json = here.orrery("run --json -n 2 " + words + " ./app");
  CHECK(json.status == 2);
  CHECK(has(json.out, "\"outcome\": \"error\""));
  CHECK(has(json.out, "\"hint\": "));
}

std::string place(int line) {
  return line == 0 ? "bad.xml: " : "bad.xml:" + std::to_string(line) + ": ";
}

TEST_CASE("Bad platforms and flags give status 2, file and line, and what to do") {
  STATIC_REQUIRE(std::size(platforms) + std::size(links) + std::size(starts) + std::size(flags) >=
                 40);
  const WorkingDirectory here;
  here.write("app.c",
             "#include <mpi.h>\n"
             "int main(int argc, char** argv) {\n"
             "  int rank, word = 0;\n"
             "  MPI_Init(&argc, &argv);\n"
             "  MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n"
             "  if (rank == 0) MPI_Send(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);\n"
             "  if (rank == 1) MPI_Recv(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD,\n"
             "                          MPI_STATUS_IGNORE);\n"
             "  return MPI_Finalize();\n"
             "}\n");
  here.write("profile.txt", "0.5 banana\n");
  here.write("plain.txt", "node-1\n");
  here.write("empty.xml", "");
  here.write("bad.xml", "");
  const std::string good = with_link({"bandwidth='1MBps' latency='1us'", "", ""});
  here.write("good.xml", header + good);
  REQUIRE(here.shell("mkdir directory.xml").status == 0);
  REQUIRE(here.orrery("cc -o app app.c").status == 0);
  REQUIRE(here.orrery("run -n 2 --platform good.xml ./app").status == 0);

  for (const Platform& bad : platforms) {
    here.write("bad.xml", header + bad.content);
    check_refused(here, "--platform bad.xml", place(bad.line), bad.names, bad.hint);
  }
  for (const Link& bad : links) {
    here.write("bad.xml", header + with_link(bad));
    check_refused(here, "--platform bad.xml", place(6), bad.names, bad.hint);
  }
  for (const Start& bad : starts) {
    std::string text = header + good;
    text.replace(text.find(bad.from), std::string(bad.from).size(), bad.to);
    here.write("bad.xml", text);
    check_refused(here, "--platform bad.xml", "bad.xml:", bad.names, bad.hint);
  }
  for (const Flag& bad : flags) check_refused(here, bad.words, "", bad.names, bad.hint);
}

TEST_CASE("A platform file that may not be read is told so") {
  if (geteuid() == 0) return;  // who may read everything
  const WorkingDirectory here;
  here.write("bad.xml", header);
  REQUIRE(here.shell("chmod 0 bad.xml").status == 0);
  const CommandResult result = here.orrery("run --platform bad.xml lost_update");
  CHECK(result.status == 2);
  CHECK(has(result.err, "Permission denied"));
}

// The platform is read while the program is loaded: whichever is done first.
TEST_CASE("Of a bad program and a bad platform the program is told of") {
  const WorkingDirectory here;
  here.write("bad.xml", header + "<zone id='a' routing='Fool'/></platform>");
  here.write("app", "no program\n");
  REQUIRE(here.shell("chmod +x app").status == 0);
  for (const char* const platform : {"bad.xml", "missing.xml", "constant:0"}) {
    const CommandResult result =
        here.orrery("run -n 2 --platform " + std::string(platform) + " ./app");
    INFO(result.err);
    CHECK(result.status == 2);
    CHECK(has(result.err, "this is not a compiled program"));
  }
  here.write("cut.c", "#include <mpi.h>\nint main(void) { return MPI_Init(0, 0); }\n");
  REQUIRE(here.orrery("cc -o cut cut.c").status == 0);
  // Its headers are whole, so this is seen after the reading has begun.
  REQUIRE(here.shell("truncate -s -3000 cut").status == 0);
  const CommandResult result = here.orrery("run -n 2 --platform bad.xml ./cut");
  INFO(result.err);
  CHECK(result.status == 2);
  CHECK(has(result.err, "cut"));
  CHECK_FALSE(has(result.err, "bad.xml"));
}

TEST_CASE("A search tells of two hosts without a way between them as a run does") {
  const WorkingDirectory here;
  here.write("bad.xml", header +
                            "<zone id='a' routing='Full'>\n<host id='x' speed='1Gf'/>"
                            "<host id='y' speed='1Gf'/></zone></platform>");
  here.write("app.c",
             "#include <mpi.h>\nint main(int c, char** v) { MPI_Init(&c, &v); "
             "MPI_Barrier(MPI_COMM_WORLD); return MPI_Finalize(); }\n");
  REQUIRE(here.orrery("cc -o app app.c").status == 0);
  const CommandResult result =
      here.orrery("explore -n 2 --runs 10 --jobs 2 --platform bad.xml ./app");
  CHECK(result.status == 2);
  CHECK(has(result.err, "no route from host"));
}

}  // namespace
