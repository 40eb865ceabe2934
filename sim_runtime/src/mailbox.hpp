// What has arrived at one process and not been taken, and the receives that wait for more.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <unordered_map>
#include <vector>

#include <orrery/sim_runtime/synchronization_object.hpp>

#include "message.hpp"

namespace orrery::detail {

class MessageSystem;

/// Matching by context, source and tag.  Each arrived message stands in two buckets, that of its
/// tag and that of any tag; in a bucket each source has a queue, and only the head of a queue can
/// be taken (non-overtaking).  So every kind of receive finds its candidates without a search, and
/// the candidates of a wildcard are a list that is kept up to date.
class Mailbox final : public SynchronizationObject {
 public:
  Mailbox(Machine& machine, MessageSystem& messages, std::deque<MessageState>& store,
          std::int32_t rank);

  /// Takes part in a new run.
  void reset();
  /// Forgets what has arrived and who waits for more.
  void clear();
  [[nodiscard]] std::int32_t rank() const { return rank_; }
  [[nodiscard]] bool is_enabled(const Operation& operation, TaskId task) const override;

  // Arrived messages.
  struct Candidates {
    std::span<const Alternative> alternatives;
    std::span<const MessageIndex> messages;
  };
  void insert(MessageIndex index);
  void remove(MessageIndex index);
  /// The oldest matching message of each source.
  [[nodiscard]] Candidates candidates(const MessagePattern& pattern) const;
  [[nodiscard]] std::size_t arrived_count() const { return arrived_count_; }

  // Posted receives.
  void post(RequestHandle request, const MessagePattern& pattern);
  void unpost(RequestHandle request, const MessagePattern& pattern);
  /// The posted receives that match, oldest first; at most `limit` of them.
  void matching_posts(const MessagePattern& message, std::size_t limit,
                      std::vector<RequestHandle>& result) const;
  [[nodiscard]] std::size_t posted_count() const { return posted_count_; }

 private:
  struct Queue {
    std::int32_t source = 0;
    MessageIndex first = no_message;
    MessageIndex last = no_message;
    std::uint32_t head_slot = 0;  ///< of the head in `alternatives`
  };
  struct Bucket {
    std::vector<Queue> queues;  ///< sorted by source
    std::vector<Alternative> alternatives;
    std::vector<MessageIndex> heads;
  };
  struct Post {
    std::uint64_t order = 0;
    RequestHandle request = 0;
  };
  struct PostList {
    std::vector<Post> posts;
    std::size_t first = 0;
  };
  static bool is_wildcard(const MessagePattern& pattern);
  struct PostKey {
    std::uint32_t context;
    std::int32_t source;
    std::int32_t tag;
    friend bool operator==(const PostKey&, const PostKey&) = default;
  };
  struct PostKeyHash {
    std::size_t operator()(const PostKey& key) const {
      std::uint64_t h = key.context;
      h = (h ^ static_cast<std::uint32_t>(key.source)) * 0x9e3779b97f4a7c15U;
      h = (h ^ static_cast<std::uint32_t>(key.tag)) * 0xbf58476d1ce4e5b9U;
      return h ^ h >> 29U;
    }
  };

  [[nodiscard]] const Bucket* find_bucket(std::uint32_t context, std::int32_t tag) const;
  Bucket& bucket(std::uint32_t context, std::int32_t tag);
  static Queue& queue(Bucket& bucket, std::int32_t source);
  static const Queue* find_queue(const Bucket& bucket, std::int32_t source);
  void recycle(std::uint32_t context, std::int32_t tag);
  void append(Bucket& bucket, MessageIndex index, int link);
  void erase(Bucket& bucket, MessageIndex index, int link);

  MessageSystem& messages_;
  std::deque<MessageState>& store_;
  std::int32_t rank_;
  std::unordered_map<std::uint64_t, std::uint32_t> bucket_index_;
  std::deque<Bucket> buckets_;
  std::vector<std::uint32_t> idle_buckets_;  ///< in `buckets_`, of no tag at present
  std::size_t arrived_count_ = 0;
  std::uint64_t next_post_ = 0;
  std::size_t posted_count_ = 0;
  std::size_t posted_wildcards_ = 0;  ///< of these, for any source or any tag
  std::unordered_map<PostKey, PostList, PostKeyHash> posts_;
};

}  // namespace orrery::detail
