import Platform

/// Which order is next: those never tried in the order of the feed, and those that are tried again
/// by their time. An entry may be out of date; whoever takes one checks the lane.
struct ReadyQueue: Sendable {
    private var fresh: [Int] = []
    /// Index of the first that was not taken; those before it are cut off in bulk.
    private var start = 0
    private var retries = TimedQueue<Int64, Int>()

    mutating func append(fresh lane: Int) { fresh.append(lane) }

    var firstFresh: Int? { start < fresh.count ? fresh[start] : nil }

    mutating func removeFirstFresh() {
        start += 1
        if start > 1024, start > fresh.count / 2 {
            fresh.removeFirst(start)
            start = 0
        }
    }

    var firstRetry: (due: Int64, lane: Int)? { retries.first.map { ($0.time, $0.work) } }

    mutating func append(retry lane: Int, due: Int64) { retries.add(lane, at: due) }

    mutating func removeFirstRetry() { retries.removeFirst() }
}
