import JSON
import Providers
import RawClient

/// One request of a trial and its answer.
package struct Exchange: Sendable {
    package let delivery: SimulationDelivery
    /// Number of the copy of the notification, from 1.
    package let copy: Int
    /// Number of the attempt on the provider's schedule, from 1.
    package let attempt: Int
    /// Time since the first attempt, by the provider's clock.
    package let elapsed: Duration
    package let result: Result<ReceivedResponse, ClientError>
    package let verdict: AnswerVerdict
    /// Microseconds from the request's first byte to the answer's last.
    package let micros: UInt64

    package init(
        delivery: SimulationDelivery, copy: Int, attempt: Int, elapsed: Duration,
        result: Result<ReceivedResponse, ClientError>, verdict: AnswerVerdict, micros: UInt64
    ) {
        self.delivery = delivery
        self.copy = copy
        self.attempt = attempt
        self.elapsed = elapsed
        self.result = result
        self.verdict = verdict
        self.micros = micros
    }

    /// The answer's status; nil without an answer.
    package var status: Int? { try? result.get().status }

    /// Whether the answer is correct: a genuine notification is accepted in the provider's form,
    /// and another one is refused with a 4xx. A 5xx is no verdict.
    package var isSatisfactory: Bool {
        switch delivery.authenticity {
        case .genuine: verdict == .accepted
        case .tampered, .foreignKey:
            verdict != .accepted && status.map { (400..<500).contains($0) } ?? false
        }
    }

    /// The verdict in a few words.
    package var summary: String {
        switch (delivery.authenticity, verdict) {
        case (.genuine, .accepted): "accepted"
        case (.genuine, .sendsAgain(let why)): "would retry: \(why)"
        case (_, .accepted): "ACCEPTED although not genuine"
        case (_, .sendsAgain(let why)): isSatisfactory ? "refused, as expected" : why
        }
    }
}

extension Exchange {
    /// One JSON line, without the newline:
    ///
    /// ```json
    /// {"type":"exchange","number":1,"copy":1,"attempt":1,"elapsedSeconds":0,"event":"paid",
    ///  "reference":"…","transaction":"…","amount":{"minor":4200,"currency":"MYR"},
    ///  "genuine":true,"status":200,"answer":"ok","verdict":"accepted","satisfactory":true,
    ///  "micros":812}
    /// ```
    ///
    /// Without an answer, `error` and `detail` replace `status` and `answer`. `why` is present if
    /// the provider would retry.
    package var json: [UInt8] {
        JSONWriter.object(reserving: 512) { json in
            json.member("type", "exchange")
            json.member("number", delivery.number)
            json.member("copy", copy)
            json.member("attempt", attempt)
            json.member("elapsedSeconds", elapsed.components.seconds)
            json.member("event", delivery.event.type.rawValue)
            json.member("reference", delivery.event.reference)
            json.member("transaction", delivery.event.transaction)
            json.object("amount") {
                $0.member("minor", delivery.event.money.minor)
                $0.member("currency", delivery.event.money.currency.code)
            }
            json.member("genuine", delivery.authenticity == .genuine)
            result.write(to: &json)
            verdict.write(to: &json)
            json.member("satisfactory", isSatisfactory)
            json.member("micros", micros)
        }
    }
}

extension Result<ReceivedResponse, ClientError> {
    /// Writes `status` and `answer`, or `error` and `detail`.
    func write(to json: inout JSONWriter) {
        switch self {
        case .success(let response):
            json.member("status", response.status)
            json.member("answer", String(decoding: response.body.prefix(1024), as: UTF8.self))
        case .failure(let error):
            json.member("error", error.reason)
            json.member("detail", "\(error)")
        }
    }
}

extension AnswerVerdict {
    /// Writes `verdict` and `why`.
    func write(to json: inout JSONWriter) {
        switch self {
        case .accepted: json.member("judgement", "accepted")
        case .sendsAgain(let why):
            json.member("judgement", "sends_again")
            json.member("why", why)
        }
    }
}

extension Duration {
    /// The duration in its two greatest units: `0 s`, `2 min`, `1 h 10 min`, `3 d`.
    package var brief: String {
        let seconds = components.seconds
        guard seconds > 0 else {
            let milliseconds = components.attoseconds / 1_000_000_000_000_000
            return milliseconds > 0 ? "\(milliseconds) ms" : "0 s"
        }
        let units: [(Int64, String)] = [(86_400, "d"), (3600, "h"), (60, "min"), (1, "s")]
        var rest = seconds
        var parts: [String] = []
        for (size, name) in units where rest >= size && parts.count < 2 {
            parts.append("\(rest / size) \(name)")
            rest %= size
        }
        return parts.joined(separator: " ")
    }
}
