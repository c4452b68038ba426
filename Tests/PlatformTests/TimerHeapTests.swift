import TestSupport
import Testing

@testable import Platform

@Suite struct TimerHeapTests {
    private func time(_ value: UInt64) -> MonotonicTime { MonotonicTime(nanoseconds: value) }

    @Test func `fires in the order of deadlines`() {
        var heap = TimerHeap()
        for deadline in [5, 1, 4, 2, 3] as [UInt64] {
            let alarm = Alarm()
            alarm.deadline = time(deadline)
            heap.schedule(alarm)
        }
        var fired: [UInt64] = []
        while let alarm = heap.popDue(at: time(4)) { fired.append(alarm.deadline.nanoseconds) }
        #expect(fired == [1, 2, 3, 4])
        #expect(heap.nextTime == time(5))
    }

    @Test func `a later deadline leaves the heap alone`() {
        var heap = TimerHeap()
        let alarm = Alarm()
        alarm.deadline = time(10)
        heap.schedule(alarm)
        alarm.deadline = time(20)
        heap.schedule(alarm)
        #expect(heap.nextTime == time(10), "the alarm is looked at early, and put back then")
        alarm.deadline = time(5)
        heap.schedule(alarm)
        #expect(heap.nextTime == time(5))
    }

    /// Compared with the simplest model: a list that is searched.
    @Test(arguments: 0..<20 as Range<UInt64>)
    func `agrees with a list that is searched`(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var heap = TimerHeap()
        let alarms = (0..<50).map { _ in Alarm() }
        var model: [Int: UInt64] = [:]
        for step in 0..<2000 {
            let index = Int.random(in: 0..<alarms.count, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0, 1:
                let deadline = UInt64.random(in: 0..<1000, using: &random)
                alarms[index].deadline = time(deadline)
                heap.schedule(alarms[index])
                model[index] = min(model[index] ?? .max, deadline)
            case 2:
                heap.remove(alarms[index])
                model[index] = nil
            default:
                let now = UInt64.random(in: 0..<1000, using: &random)
                let due = model.values.min().flatMap { $0 <= now ? $0 : nil }
                let popped = heap.popDue(at: time(now))
                let place = popped.flatMap { alarm in alarms.firstIndex { $0 === alarm } }
                #expect(place.flatMap { model[$0] } == due, "step \(step)")
                if let place { model[place] = nil }
            }
            #expect(heap.nextTime?.nanoseconds == model.values.min(), "step \(step)")
        }
    }
}
