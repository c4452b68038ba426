import JSON
import Simulator
import Synchronization

/// Counts over everything that the simulator sends.
package final class WorldTally: Sendable {
    package struct Counts: Sendable, Equatable {
        /// Orders that began, or are expected in vain.
        package var begun = 0
        /// Notifications of different events.
        package var notifications = 0
        /// Of those, the ones that never arrive.
        package var lost = 0
        /// Requests that were sent, repetitions included.
        package var requests = 0
        package var accepted = 0
        /// Attempts after one that was not accepted.
        package var retries = 0
        /// Notifications whose schedule ended without success.
        package var givenUp = 0
        /// Orders that the shop registered, and those that it could not.
        package var expected = 0
        package var notExpected = 0
        /// Whether the play is over; the providers still answer.
        package var isOver = false
        /// How often each kind of answer came, by status or reason code.
        package var answers: [String: Int] = [:]
    }

    private let counts = Mutex(Counts())

    package init() {}

    package var now: Counts { counts.withLock { $0 } }

    func update(_ body: (inout Counts) -> Void) { counts.withLock { body(&$0) } }

    /// - Parameter more: Writes what others have counted.
    func json(_ more: (inout JSONWriter) -> Void = { _ in }) -> [UInt8] {
        let counts = now
        var json = JSONWriter(reserving: 512)
        json.beginObject()
        json.member("over", counts.isOver)
        json.member("begun", counts.begun)
        json.member("notifications", counts.notifications)
        json.member("lost", counts.lost)
        json.member("requests", counts.requests)
        json.member("accepted", counts.accepted)
        json.member("retries", counts.retries)
        json.member("givenUp", counts.givenUp)
        json.member("expected", counts.expected)
        json.member("notExpected", counts.notExpected)
        json.key("answers")
        json.beginObject()
        for (answer, count) in counts.answers.sorted(by: { $0.key < $1.key }) {
            json.member(answer, count)
        }
        json.endObject()
        more(&json)
        json.endObject()
        return json.bytes
    }
}
