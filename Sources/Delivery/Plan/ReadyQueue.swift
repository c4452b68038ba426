/// Which order is next: those never tried in the order of the feed, and those that are tried again
/// by their time. An entry may be out of date; whoever takes one checks the lane.
struct ReadyQueue: Sendable {
    private struct Retry: Sendable {
        let due: Int64
        let lane: Int
    }

    private var fresh: [Int] = []
    /// Index of the first that was not taken; those before it are cut off in bulk.
    private var start = 0
    /// A binary heap, the earliest first.
    private var retries: [Retry] = []

    mutating func append(fresh lane: Int) { fresh.append(lane) }

    var firstFresh: Int? { start < fresh.count ? fresh[start] : nil }

    mutating func removeFirstFresh() {
        start += 1
        if start > 1024, start > fresh.count / 2 {
            fresh.removeFirst(start)
            start = 0
        }
    }

    var firstRetry: (due: Int64, lane: Int)? { retries.first.map { ($0.due, $0.lane) } }

    mutating func append(retry lane: Int, due: Int64) {
        retries.append(Retry(due: due, lane: lane))
        var index = retries.count - 1
        while index > 0 {
            let parent = (index - 1) / 2
            guard retries[index].due < retries[parent].due else { return }
            retries.swapAt(index, parent)
            index = parent
        }
    }

    mutating func removeFirstRetry() {
        retries.swapAt(0, retries.count - 1)
        retries.removeLast()
        var index = 0
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2]
            where child < retries.count && retries[child].due < retries[least].due {
                least = child
            }
            guard least != index else { return }
            retries.swapAt(index, least)
            index = least
        }
    }
}
