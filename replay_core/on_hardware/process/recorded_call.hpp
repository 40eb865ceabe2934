// One of the functions that programs call, in front of the real one.
#pragma once

#define ORRERY_RECORDED extern "C" __attribute__((visibility("default")))
