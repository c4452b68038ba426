import Providers
import RawClient

/// One request of a trial with what came back.
package struct Exchange: Sendable {
    package let delivery: SimulationDelivery
    /// Which copy of the notification, from 1.
    package let copy: Int
    /// Which attempt on the provider's schedule, from 1.
    package let attempt: Int
    /// How long after the first attempt, by the provider's clock.
    package let elapsed: Duration
    package let result: Result<ReceivedResponse, ClientError>
    package let judgement: Judgement
    /// Microseconds from the request's first byte to the answer's last.
    package let micros: UInt64

    package init(
        delivery: SimulationDelivery, copy: Int, attempt: Int, elapsed: Duration,
        result: Result<ReceivedResponse, ClientError>, judgement: Judgement, micros: UInt64
    ) {
        self.delivery = delivery
        self.copy = copy
        self.attempt = attempt
        self.elapsed = elapsed
        self.result = result
        self.judgement = judgement
        self.micros = micros
    }

    /// The answer's status; nil where none came.
    package var status: Int? { try? result.get().status }

    /// Whether this is what a good receiver does: a genuine notification is accepted in the
    /// provider's words; one that is not is refused with a 4xx (a 5xx would be no
    /// judgement at all).
    package var isSatisfactory: Bool {
        switch delivery.authenticity {
        case .genuine: judgement == .accepted
        case .tampered, .foreignKey:
            judgement != .accepted && status.map { (400..<500).contains($0) } ?? false
        }
    }

    /// In a few words, for people.
    package var verdict: String {
        switch (delivery.authenticity, judgement) {
        case (.genuine, .accepted): "accepted"
        case (.genuine, .sendsAgain(let why)): "would send again: \(why)"
        case (_, .accepted): "ACCEPTED although it is not genuine"
        case (_, .sendsAgain(let why)): isSatisfactory ? "refused, as it must be" : why
        }
    }
}
