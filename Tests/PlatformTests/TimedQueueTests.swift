import Platform
import TestSupport
import Testing

@Suite struct TimedQueueTests {
    @Test func `work comes in the order of its times and then of its adding`() {
        var generator = SeededGenerator(seed: 1)
        var queue = TimedQueue<MonotonicTime, Int>()
        var times: [UInt64] = []
        for number in 0..<500 {
            let time = UInt64.random(in: 0..<50, using: &generator)
            times.append(time)
            queue.add(number, at: MonotonicTime(nanoseconds: time))
        }
        var taken: [Int] = []
        while let work = queue.take(at: MonotonicTime(nanoseconds: 50)) { taken.append(work) }
        let sorted = times.indices.sorted { (times[$0], $0) < (times[$1], $1) }
        #expect(taken == sorted)
        #expect(queue.isEmpty)
    }

    @Test func `what is not due stays`() {
        var queue = TimedQueue<MonotonicTime, String>()
        queue.add("later", at: MonotonicTime(nanoseconds: 10))
        #expect(queue.take(at: MonotonicTime(nanoseconds: 9)) == nil)
        #expect(queue.first?.time == MonotonicTime(nanoseconds: 10))
        #expect(queue.take(at: MonotonicTime(nanoseconds: 10)) == "later")
    }
}
