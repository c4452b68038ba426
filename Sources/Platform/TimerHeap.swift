/// A binary min-heap of deadlines.
///
/// An alarm is in the heap at most once. Moving its deadline later does not touch the heap: the
/// alarm is put back when its old time comes. A keep-alive connection, which moves its deadline
/// with each request, thus costs no heap operation.
struct TimerHeap {
    private var alarms: [Alarm] = []

    var nextTime: MonotonicTime? { alarms.first?.heapTime }
    var count: Int { alarms.count }

    /// Ensures that `alarm` is checked no later than its deadline.
    mutating func schedule(_ alarm: Alarm) {
        if alarm.heapIndex >= 0 {
            guard alarm.deadline < alarm.heapTime else { return }
            alarm.heapTime = alarm.deadline
            siftUp(alarm.heapIndex)
        } else {
            alarm.heapTime = alarm.deadline
            alarm.heapIndex = alarms.count
            alarms.append(alarm)
            siftUp(alarm.heapIndex)
        }
    }

    /// Removes `alarm` if it is in the heap.
    mutating func remove(_ alarm: Alarm) {
        let index = alarm.heapIndex
        guard index >= 0 else { return }
        swap(index, alarms.count - 1)
        alarms.removeLast()
        alarm.heapIndex = -1
        if index < alarms.count {
            siftDown(index)
            siftUp(index)
        }
    }

    /// Takes the first alarm that is due; nil if there is none.
    mutating func popDue(at now: MonotonicTime) -> Alarm? {
        guard let first = alarms.first, first.heapTime <= now else { return nil }
        remove(first)
        return first
    }

    private mutating func siftUp(_ start: Int) {
        var index = start
        while index > 0 {
            let parent = (index - 1) / 2
            guard alarms[index].heapTime < alarms[parent].heapTime else { return }
            swap(index, parent)
            index = parent
        }
    }

    private mutating func siftDown(_ start: Int) {
        var index = start
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2]
            where child < alarms.count && alarms[child].heapTime < alarms[least].heapTime {
                least = child
            }
            guard least != index else { return }
            swap(index, least)
            index = least
        }
    }

    private mutating func swap(_ left: Int, _ right: Int) {
        alarms.swapAt(left, right)
        alarms[left].heapIndex = left
        alarms[right].heapIndex = right
    }
}

/// A callback for a deadline.
final class Alarm {
    /// The time when `fire` is due; `never` while no task waits.
    var deadline = MonotonicTime.never
    /// The time under which the heap holds this alarm; never later than `deadline` while it is in
    /// the heap.
    fileprivate(set) var heapTime = MonotonicTime.never
    /// The index in the heap, or -1.
    fileprivate(set) var heapIndex = -1
    var isScheduled: Bool { heapIndex >= 0 }
    /// Called when the deadline has passed, by the loop or pool that has the heap.
    var fire: () -> Void = {}
}
