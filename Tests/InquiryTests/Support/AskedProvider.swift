import Bytes
import Inquiry
import Payments
import Platform
import Providers
import Synchronization
import TestSupport

/// A provider in process with its own payments and Citcon Pay's interface. It records the time of
/// each question by the test's clock.
final class AskedProvider: InquiryTransport {
    struct Question: Sendable {
        let reference: String
        let time: MonotonicTime
    }

    private struct State {
        var words: [String: String] = [:]
        var questions: [Question] = []
        /// The failure in place of an answer.
        var failure: InquiryFailure?
        var refusal: (status: Int, retryAfterSeconds: Int?)?
        var isHeld = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let clock: ManualClock
    private let state = Mutex(State())

    init(_ clock: ManualClock) { self.clock = clock }

    /// Sets the status of these orders' payments.
    func say(_ word: String, of references: [String]) {
        state.withLock { state in for reference in references { state.words[reference] = word } }
    }

    func fail() {
        state.withLock { $0.failure = InquiryFailure(reason: "connect_refused", detail: "down") }
    }

    func refuse(_ status: Int, retryAfterSeconds: Int? = nil) {
        state.withLock { $0.refusal = (status, retryAfterSeconds) }
    }

    func recover() {
        state.withLock { state in
            state.failure = nil
            state.refusal = nil
        }
    }

    /// Leaves questions without an answer until `release`.
    func hold() { state.withLock { $0.isHeld = true } }

    func release() {
        let waiting = state.withLock { state in
            state.isHeld = false
            defer { state.waiting = [] }
            return state.waiting
        }
        for one in waiting { one.resume() }
    }

    var questions: [Question] { state.withLock { $0.questions } }

    func count(of reference: String) -> Int { questions.count { $0.reference == reference } }

    func times(of reference: String) -> [MonotonicTime] {
        questions.filter { $0.reference == reference }.map(\.time)
    }

    func send(
        _ request: InquiryRequest, to target: InquiryTarget
    ) async throws(InquiryFailure) -> InquiryAnswer {
        let reference = Self.reference(request)
        state.withLock { $0.questions.append(Question(reference: reference, time: clock.now)) }
        await withCheckedContinuation { continuation in
            let isHeld = state.withLock { state in
                if state.isHeld { state.waiting.append(continuation) }
                return state.isHeld
            }
            if !isHeld { continuation.resume() }
        }
        let (failure, refusal, word) = state.withLock {
            ($0.failure, $0.refusal, $0.words[reference])
        }
        if let failure { throw failure }
        if let refusal {
            var answer = answer(refusal.status, "")
            answer.retryAfterSeconds = refusal.retryAfterSeconds
            return answer
        }
        guard let word else { return answer(200, "{}") }
        return answer(
            200,
            #"{"id":"T-\#(reference)","type":"charge","amount":4200,"currency":"EUR","#
                + #""reference":"\#(reference)","status":"\#(word)"}"#)
    }

    private func answer(_ status: Int, _ body: String) -> InquiryAnswer {
        InquiryAnswer(
            status: status, headers: [Header("content-type", "application/json")],
            body: Array(body.utf8), received: Timestamp(microseconds: clock.wallMicroseconds))
    }

    /// `reference=R-1&…`, or `transaction_id=T-R-1&…` where the payment is known.
    private static func reference(_ request: InquiryRequest) -> String {
        let body = String(decoding: request.body, as: UTF8.self)
        let value = body.prefix { $0 != "&" }.drop { $0 != "=" }.dropFirst()
        return String(value.hasPrefix("T-") ? value.dropFirst(2) : value)
    }
}
