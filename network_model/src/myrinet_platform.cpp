#include "myrinet_platform.hpp"

#include <algorithm>
#include <string>

#include <orrery/network_model/suggestion.hpp>
#include <orrery/network_model/usage_error.hpp>

#include "myrinet_options.hpp"

namespace orrery::detail {
namespace {

constexpr const char* card_key = "nic";
constexpr std::string_view card_prefix = "nic_";

std::string place(std::string_view file, const PlatformHost& host) {
  return std::string(file) + ", host '" + host.name + "'";
}

std::string place(std::string_view file, const PlatformHost& host, std::string_view key) {
  return place(file, host) + ", prop '" + std::string(key) + "'";
}

bool has_card(const PlatformHost& host) {
  return host.properties.contains(card_key);
}

MyrinetParameters preset_of(const PlatformHost& host, std::string_view file) {
  const std::string& name = host.properties.at(card_key);
  std::vector<std::string> names;
  for (const MyrinetPreset& preset : myrinet_presets()) {
    if (preset.name == name) return preset.parameters;
    names.emplace_back(preset.name);
  }
  throw UsageError("there is no card '" + name + "'", place(file, host, card_key),
                   name_hint(name, names));
}

/// A host may have properties that are none of ours; those that look like ours are.
void refuse_unknown(const PlatformHost& host, const std::string& key, std::string_view file) {
  const std::vector<std::string> names = myrinet_parameter_names();
  if (!key.starts_with(card_prefix) && nearest_name(key, names).empty()) return;
  throw UsageError("a Myrinet card has no parameter '" + key + "'", place(file, host, key),
                   name_hint(key, names));
}

MyrinetParameters card_of(const PlatformHost& host, std::string_view file) {
  MyrinetParameters card = preset_of(host, file);
  for (const auto& [key, text] : host.properties) {
    if (key == card_key) continue;
    const MyrinetParameter* const parameter = find_myrinet_parameter(key);
    if (parameter == nullptr) {
      refuse_unknown(host, key, file);
      continue;
    }
    if (parameter->is_of_switches) {
      throw UsageError("'" + key + "' is of a Myrinet's own switches, and here are none",
                       place(file, host, key),
                       "leave it out: the platform's links are what lies between the cards");
    }
    set_myrinet_parameter(card, *parameter, key, text, place(file, host, key));
  }
  card.check(place(file, host));
  return card;
}

/// Parameters without a card do nothing, which nobody can have meant.
void refuse_lonely_parameters(const PlatformHost& host, std::string_view file) {
  for (const auto& [key, text] : host.properties) {
    if (!key.starts_with(card_prefix)) continue;
    throw UsageError("the host has no card for it", place(file, host, key),
                     "add <prop id=\"nic\" value=\"myrinet-pcixd\"/> to the host");
  }
}

}  // namespace

std::vector<MyrinetParameters> myrinet_cards(const Platform& platform, std::string_view file) {
  const auto hosts = platform.hosts();
  const auto with_card = std::ranges::find_if(hosts, has_card);
  std::vector<MyrinetParameters> cards;
  for (const PlatformHost& host : hosts) {
    if (with_card == hosts.end()) {
      refuse_lonely_parameters(host, file);
      continue;
    }
    if (!has_card(host)) {
      throw UsageError("the host has no Myrinet card, but '" + with_card->name + "' has one",
                       place(file, host),
                       "give <prop id=\"nic\" value=\"myrinet-pcixd\"/> to all hosts or to none");
    }
    cards.push_back(card_of(host, file));
    if (cards.back().fragment_bytes == cards.front().fragment_bytes) continue;
    throw UsageError("its card sends fragments of " + std::to_string(cards.back().fragment_bytes) +
                         " bytes, that of '" + hosts.front().name + "' of " +
                         std::to_string(cards.front().fragment_bytes),
                     place(file, host, "fragment"), "give all cards the same fragment");
  }
  return cards;
}

}  // namespace orrery::detail
