// Everything that a program of the C++ API needs.
#pragma once

#include <orrery/sim_runtime/communicator.hpp>
#include <orrery/sim_runtime/condition_variable.hpp>
#include <orrery/sim_runtime/disk.hpp>
#include <orrery/sim_runtime/mutex.hpp>
#include <orrery/sim_runtime/random.hpp>
#include <orrery/sim_runtime/semaphore.hpp>
#include <orrery/sim_runtime/shared.hpp>
#include <orrery/sim_runtime/simulation.hpp>
#include <orrery/sim_runtime/thread.hpp>
#include <orrery/sim_runtime/world.hpp>
