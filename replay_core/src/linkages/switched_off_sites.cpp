#include "switched_off_sites.hpp"

#include <algorithm>
#include <cstddef>

#include <link.h>

namespace orrery::detail {
namespace {

struct Search {
  std::uintptr_t address;
  std::uint64_t site;
};

int look_at(dl_phdr_info* image, std::size_t, void* into) {
  auto& search = *static_cast<Search*>(into);
  for (int i = 0; i < image->dlpi_phnum; ++i) {
    const auto& segment = image->dlpi_phdr[i];
    const std::uintptr_t begin = image->dlpi_addr + segment.p_vaddr;
    if (segment.p_type != PT_LOAD || search.address - begin >= segment.p_memsz) continue;
    search.site = search.address - image->dlpi_addr;
    return 1;
  }
  return 0;
}

}  // namespace

std::uint64_t site_of(std::uintptr_t return_address) {
  Search search{return_address, 0};
  dl_iterate_phdr(look_at, &search);
  return search.site;
}

SwitchedOffSites::Kind SwitchedOffSites::kind_of(std::uintptr_t return_address) {
  const auto [found, is_new] = known_.try_emplace(return_address, Kind::none);
  if (!is_new) return found->second;
  const std::uint64_t site = site_of(return_address);
  if (std::ranges::binary_search(sites_->accesses, site)) {
    found->second = Kind::access;
  } else if (std::ranges::binary_search(sites_->orders, site)) {
    found->second = Kind::order;
  }
  return found->second;
}

}  // namespace orrery::detail
