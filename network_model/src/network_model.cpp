#include <utility>

#include <orrery/network_model/constant_network.hpp>
#include <orrery/network_model/firmware_hook.hpp>
#include <orrery/network_model/network_model.hpp>
#include <orrery/network_model/usage_error.hpp>

namespace orrery {

// NOLINTNEXTLINE(performance-unnecessary-value-param): whoever has cards keeps it.
void NetworkModel::load_firmware(std::shared_ptr<FirmwareHook> hook) {
  if (hook->place() == HookPlace::switch_ports) {
    throw UsageError("the network has no switches that code could run on", "load_firmware",
                     "use one with Myrinet's switches, as in --platform myrinet-pcixd");
  }
  throw UsageError("the network has no cards that code could run on", "load_firmware",
                   "use one with Myrinet cards, as in --platform myrinet-pcixd");
}

NetworkFactory with_firmware(NetworkFactory networks, std::shared_ptr<FirmwareHook> hook) {
  return [networks = std::move(networks), hook = std::move(hook)] {
    std::unique_ptr<NetworkModel> network =
        networks ? networks() : std::make_unique<ConstantNetwork>(1);
    network->load_firmware(hook);
    return network;
  };
}

}  // namespace orrery
