#include "mailbox.hpp"

#include <algorithm>

#include "machine.hpp"

namespace orrery::detail {
namespace {
// Tables that one run has blown up are not kept for the next.
constexpr std::size_t kept_buckets_max = 1024;
constexpr std::size_t kept_post_lists_max = 1024;
// A program may give each message a tag of its own (the collectives of MPI do): then what has
// become empty serves another tag.  Below this it stays, since most programs use their few tags
// again.
constexpr std::size_t unused_tables_max = 64;

std::uint64_t bucket_key(std::uint32_t context, std::int32_t tag) {
  return std::uint64_t{context} << 32U | static_cast<std::uint32_t>(tag);
}
}  // namespace

Mailbox::Mailbox(Machine& machine, MessageSystem& messages, std::deque<MessageState>& store,
                 std::int32_t rank)
    : SynchronizationObject(machine, "mailbox", {}),
      messages_(messages),
      store_(store),
      rank_(rank) {}

void Mailbox::reset() {
  clear();
  id_ = machine_->name_object("mailbox", {});
}

void Mailbox::clear() {
  if (buckets_.size() > kept_buckets_max) {
    buckets_.clear();
    idle_buckets_.clear();
    bucket_index_.clear();
  }
  for (auto& bucket : buckets_) {
    bucket.queues.clear();
    bucket.alternatives.clear();
    bucket.heads.clear();
  }
  arrived_count_ = 0;
  next_post_ = 0;
  posted_count_ = 0;
  posted_wildcards_ = 0;
  if (posts_.size() > kept_post_lists_max) posts_.clear();
  for (auto& [key, list] : posts_) list = {std::move(list.posts), 0}, list.posts.clear();
}

bool Mailbox::is_enabled(const Operation& operation, TaskId task) const {
  switch (operation.kind) {
    case OperationKind::receive:
    case OperationKind::probe:
    case OperationKind::try_probe: {  // one that must find something
      const MessagePattern pattern{static_cast<std::uint32_t>(operation.value), operation.peer,
                                   rank_, operation.tag};
      const auto found = candidates(pattern);
      if (found.messages.empty() && messages_.is_cut_off(rank_, operation.peer)) return true;
      Chooser* const constraint = machine_->constraint();
      if (constraint == nullptr) return !found.messages.empty();
      const OperationId asker = machine_->task_at(task).current_id();
      return std::ranges::any_of(found.alternatives, [&](Alternative alternative) {
        alternative.asker = asker;
        return constraint->admits(alternative);
      });
    }
    case OperationKind::cancel: return messages_.is_too_late(machine_->task_at(task));
    default: return messages_.has_completions(machine_->task_at(task));
  }
}

const Mailbox::Bucket* Mailbox::find_bucket(std::uint32_t context, std::int32_t tag) const {
  const auto found = bucket_index_.find(bucket_key(context, tag));
  return found == bucket_index_.end() ? nullptr : &buckets_[found->second];
}

Mailbox::Bucket& Mailbox::bucket(std::uint32_t context, std::int32_t tag) {
  const auto [position, inserted] = bucket_index_.try_emplace(
      bucket_key(context, tag), static_cast<std::uint32_t>(buckets_.size()));
  if (inserted && !idle_buckets_.empty()) {
    position->second = idle_buckets_.back();
    idle_buckets_.pop_back();
  } else if (inserted) {
    buckets_.emplace_back();
  }
  return buckets_[position->second];
}

void Mailbox::recycle(std::uint32_t context, std::int32_t tag) {
  if (bucket_index_.size() <= unused_tables_max) return;
  const auto found = bucket_index_.find(bucket_key(context, tag));
  Bucket& bucket = buckets_[found->second];
  if (!bucket.heads.empty()) return;
  bucket.queues.clear();
  idle_buckets_.push_back(found->second);
  bucket_index_.erase(found);
}

Mailbox::Queue& Mailbox::queue(Bucket& bucket, std::int32_t source) {
  const auto position = std::ranges::lower_bound(bucket.queues, source, {}, &Queue::source);
  if (position != bucket.queues.end() && position->source == source) return *position;
  return *bucket.queues.insert(position, Queue{.source = source});
}

const Mailbox::Queue* Mailbox::find_queue(const Bucket& bucket, std::int32_t source) {
  const auto position = std::ranges::lower_bound(bucket.queues, source, {}, &Queue::source);
  const bool found = position != bucket.queues.end() && position->source == source;
  return found ? &*position : nullptr;
}

void Mailbox::append(Bucket& bucket, MessageIndex index, int link) {
  MessageState& message = store_[index];
  Queue& line = queue(bucket, message.envelope.source);
  message.previous_arrived[link] = line.last;
  message.next_arrived[link] = no_message;
  if (line.last != no_message) {
    store_[line.last].next_arrived[link] = index;
  } else {
    line.first = index;
    line.head_slot = static_cast<std::uint32_t>(bucket.heads.size());
    bucket.heads.push_back(index);
    bucket.alternatives.push_back({message.sender, {}, id(), OperationKind::receive, /*weight=*/1});
  }
  line.last = index;
}

void Mailbox::erase(Bucket& bucket, MessageIndex index, int link) {
  MessageState& message = store_[index];
  Queue& line = queue(bucket, message.envelope.source);
  const MessageIndex previous = message.previous_arrived[link];
  const MessageIndex next = message.next_arrived[link];
  if (next != no_message) store_[next].previous_arrived[link] = previous;
  if (line.last == index) line.last = previous;
  if (previous != no_message) {
    store_[previous].next_arrived[link] = next;
    return;
  }
  line.first = next;
  if (next != no_message) {
    bucket.heads[line.head_slot] = next;
    bucket.alternatives[line.head_slot].id = store_[next].sender;
    return;
  }
  const std::uint32_t slot = line.head_slot;
  if (slot + 1 != bucket.heads.size()) {
    bucket.heads[slot] = bucket.heads.back();
    bucket.alternatives[slot] = bucket.alternatives.back();
    queue(bucket, store_[bucket.heads[slot]].envelope.source).head_slot = slot;
  }
  bucket.heads.pop_back();
  bucket.alternatives.pop_back();
}

void Mailbox::insert(MessageIndex index) {
  const auto& envelope = store_[index].envelope;
  append(bucket(envelope.context, envelope.tag), index, 0);
  append(bucket(envelope.context, any_tag), index, 1);
  ++arrived_count_;
}

void Mailbox::remove(MessageIndex index) {
  const auto& envelope = store_[index].envelope;
  erase(bucket(envelope.context, envelope.tag), index, 0);
  erase(bucket(envelope.context, any_tag), index, 1);
  recycle(envelope.context, envelope.tag);
  --arrived_count_;
}

Mailbox::Candidates Mailbox::candidates(const MessagePattern& pattern) const {
  const Bucket* const found = find_bucket(pattern.context, pattern.tag);
  if (found == nullptr) return {};
  if (pattern.source == any_source) return {found->alternatives, found->heads};
  const Queue* const line = find_queue(*found, pattern.source);
  if (line == nullptr || line->first == no_message) return {};
  return {std::span(found->alternatives).subspan(line->head_slot, 1),
          std::span(found->heads).subspan(line->head_slot, 1)};
}

void Mailbox::post(RequestHandle request, const MessagePattern& pattern) {
  posts_[{pattern.context, pattern.source, pattern.tag}].posts.push_back({next_post_++, request});
  ++posted_count_;
  if (is_wildcard(pattern)) ++posted_wildcards_;
}

bool Mailbox::is_wildcard(const MessagePattern& pattern) {
  return pattern.source == any_source || pattern.tag == any_tag;
}

void Mailbox::unpost(RequestHandle request, const MessagePattern& pattern) {
  const auto found = posts_.find({pattern.context, pattern.source, pattern.tag});
  if (found == posts_.end()) return;
  auto& [posts, first] = found->second;
  const auto begin = posts.begin() + static_cast<std::ptrdiff_t>(first);
  const auto position = std::ranges::find(begin, posts.end(), request, &Post::request);
  if (position == posts.end()) return;
  --posted_count_;
  if (is_wildcard(pattern)) --posted_wildcards_;
  if (position != begin) {
    posts.erase(position);
  } else if (++first == posts.size()) {
    posts.clear();
    first = 0;
    if (posts_.size() > unused_tables_max) posts_.erase(found);
  }
}

void Mailbox::matching_posts(const MessagePattern& message, std::size_t limit,
                             std::vector<RequestHandle>& result) const {
  result.clear();
  if (posted_count_ == 0) return;
  if (posted_wildcards_ == 0) {  // then there is one list, which is in order
    const auto list = posts_.find({message.context, message.source, message.tag});
    if (list == posts_.end()) return;
    const auto& [posts, first] = list->second;
    for (std::size_t i = first; i < posts.size() && result.size() < limit; ++i) {
      result.push_back(posts[i].request);
    }
    return;
  }
  std::vector<Post> found;
  for (const std::int32_t source : {message.source, any_source}) {
    for (const std::int32_t tag : {message.tag, any_tag}) {
      const auto list = posts_.find({message.context, source, tag});
      if (list == posts_.end()) continue;
      const auto& [posts, first] = list->second;
      const std::size_t end = std::min(posts.size(), first + std::min(limit, posts.size()));
      found.insert(found.end(), posts.begin() + static_cast<std::ptrdiff_t>(first),
                   posts.begin() + static_cast<std::ptrdiff_t>(end));
    }
  }
  std::ranges::sort(found, {}, &Post::order);
  for (const Post& post : found) {
    if (result.size() < limit) result.push_back(post.request);
  }
}

}  // namespace orrery::detail
