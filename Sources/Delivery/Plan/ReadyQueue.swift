import Platform

/// The lanes that are ready to send: those never tried in the order of the feed, and the retries by
/// due time. An entry may be out of date; the plan checks the lane before it sends.
struct ReadyQueue: Sendable {
    private var fresh: [Int] = []
    /// Index of the first entry that was not taken; the taken ones are removed in bulk.
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
