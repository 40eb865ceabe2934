// The tables of the C++ litmus programs.
#pragma once

#include "litmus.h"

extern const Litmus litmus_std_threads[];
extern const Litmus litmus_std_waiting[];
