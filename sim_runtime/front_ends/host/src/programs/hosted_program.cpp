#include <fmt/format.h>

#include <orrery/program_host/hosted_program.hpp>
#include <orrery/sim_runtime/simulated_runtime.hpp>
#include <orrery/sim_runtime/world.hpp>

#include "machine.hpp"

namespace orrery {
namespace {

/// A run of the image, ended however the run of the machine ends.
class ImageRun {
 public:
  ImageRun(ProgramImage& image, const std::vector<std::string>& arguments, detail::Machine& machine)
      : image_(&image), machine_(&machine) {
    image_->set_memory_limit(machine.options().memory_limit_bytes);
    image_->begin_run(simulated_runtime(), arguments, machine.is_watched(),
                      machine.options().computing, machine.options().preemption);
  }
  ~ImageRun() {
    if (machine_->wants_any(EventMask::files())) machine_->has_left(image_->written_files());
    image_->end_run();
  }
  ImageRun(const ImageRun&) = delete;
  ImageRun& operator=(const ImageRun&) = delete;

 private:
  ProgramImage* image_;
  detail::Machine* machine_;
};

/// Threads that go on when their `main` has left by pthread_exit.
void join_rest(detail::Machine& machine) {
  const SourceLocation nowhere{};
  for (std::uint32_t i = 0; i < machine.pending().task_count(); ++i) {
    const detail::Task& task = machine.task_at(TaskId{i});
    if (task.id != machine.running().id && !task.has_ended()) machine.join(task.id, nowhere);
  }
}

void run_all(detail::Machine& machine, ProgramImage& image) {
  const SourceLocation nowhere{};
  machine.messages().set_reliable();  // as MPI promises
  std::vector<TaskId> tasks;
  tasks.reserve(image.rank_count());
  for (std::uint32_t rank = 0; rank < image.rank_count(); ++rank) {
    const bool is_alone = image.rank_count() == 1 && !image.uses_mpi();
    std::string name = is_alone ? "main" : fmt::format("rank {}", rank);
    const ProcessId process = machine.create_process(is_alone ? "the program" : name);
    // The program's frames are not ours to unwind: its next run begins from a snapshot.
    tasks.push_back(machine.boot(
        process, std::move(name), [&image, rank] { image.run_rank(rank); }, nowhere,
        detail::Unwinding::abandon));
  }
  for (const TaskId task : tasks) machine.join(task, nowhere);
  join_rest(machine);
}

}  // namespace

Program hosted_program(std::shared_ptr<ProgramImage> image, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), image->path().string());
  return [image = std::move(image), arguments = std::move(arguments)](World& world) {
    const ImageRun run(*image, arguments, world.machine());
    run_all(world.machine(), *image);
  };
}

}  // namespace orrery
