/// A priority queue of work by time; work of the same time is ordered by when it was added. A
/// binary heap.
package struct TimedQueue<Time: Comparable & Sendable, Work: Sendable>: Sendable {
    private struct Entry: Sendable {
        let time: Time
        let number: Int
        let work: Work

        func precedes(_ other: Entry) -> Bool {
            time != other.time ? time < other.time : number < other.number
        }
    }

    private var entries: [Entry] = []
    private var added = 0

    package init() {}

    package var isEmpty: Bool { entries.isEmpty }
    package var first: (time: Time, work: Work)? { entries.first.map { ($0.time, $0.work) } }

    package mutating func add(_ work: Work, at time: Time) {
        entries.append(Entry(time: time, number: added, work: work))
        added += 1
        var index = entries.count - 1
        while index > 0, entries[index].precedes(entries[(index - 1) / 2]) {
            entries.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    /// Takes the first work that is due.
    package mutating func take(at now: Time) -> Work? {
        guard let first = entries.first, first.time <= now else { return nil }
        removeFirst()
        return first.work
    }

    /// Removes the first work. The queue must not be empty.
    package mutating func removeFirst() {
        entries.swapAt(0, entries.count - 1)
        entries.removeLast()
        var index = 0
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2]
            where child < entries.count && entries[child].precedes(entries[least]) {
                least = child
            }
            guard least != index else { return }
            entries.swapAt(index, least)
            index = least
        }
    }
}
