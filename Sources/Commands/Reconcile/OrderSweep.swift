import AdminAPI
import ArgumentParser
import Bytes
import Console
import Glibc
import Payments
import Platform
import Reconciliation
import Store

/// Asks the provider about every order of a period, one at a time, through a running server, which
/// limits the rate and records the answers.
struct OrderSweep {
    struct Outcome {
        /// In the order of their first records.
        var differences: [Difference] = []
        /// Number of orders of the period, and of those done.
        var orders = 0
        var done = 0
        /// Why the sweep ended early.
        var interruption: String?
    }

    /// Maximum attempts per order; without an answer it is asked about again after the others.
    private static let triesMax = 3
    /// Consecutive refusals that stop the sweep: they are then not about single orders.
    private static let refusalsMax = 3
    /// Consecutive orders without an answer that mean that the provider is unavailable.
    private static let unansweredMax = 10
    /// Pause between two attempts, and when the server names no pause.
    private static let pauseSeconds = 1
    /// Longer pauses are reported.
    private static let longPauseSeconds = 5

    private let admin: AdminConnection
    private let file: SweepFile
    private let clock: any Clock
    private var endpoint: String { file.progress.endpoint }

    init(_ admin: AdminConnection, _ file: SweepFile, clock: any Clock) {
        self.admin = admin
        self.file = file
        self.clock = clock
    }

    func run() async throws -> Outcome {
        let references = try await references()
        var outcome = Outcome()
        outcome.orders = references.count
        let bar = ProgressBar("asking")
        defer { bar.finish() }
        var open = references.filter { file.progress.done[ExactText($0)] == nil }
        var refusals = 0
        var unanswered = 0
        for round in 1...Self.triesMax where !open.isEmpty && outcome.interruption == nil {
            if round > 1 { try await clock.sleep(seconds: Self.pauseSeconds) }
            var again: [String] = []
            for reference in open {
                bar.show(references.count - open.count - again.count, of: references.count)
                var result = try await ask(reference)
                // Throttled: no answer about the order. The server accepts the next question when
                // the pause ends.
                while result.isThrottled, unanswered + 1 < Self.unansweredMax {
                    unanswered += 1
                    result = try await ask(reference)
                }
                refusals = result.verdict == "denied" ? refusals + 1 : 0
                unanswered = result.verdict == "retry" ? unanswered + 1 : 0
                if refusals == Self.refusalsMax {
                    outcome.interruption = "the provider refuses to answer: \(result.detail)"
                } else if unanswered == Self.unansweredMax {
                    outcome.interruption =
                        "the provider does not answer: \(result.reason): \(result.detail)"
                }
                if outcome.interruption != nil { break }
                if result.verdict == "retry", round < Self.triesMax {
                    again.append(reference)
                } else {
                    try file.note(reference, result.differences)
                    bar.show(file.progress.done.count, of: references.count)
                }
            }
            open = again
        }
        for reference in references {
            guard let differences = file.progress.done[ExactText(reference)] else { continue }
            outcome.done += 1
            outcome.differences += differences
        }
        return outcome
    }

    /// References of the period's orders, oldest first. An order without one cannot be asked about,
    /// and no settlement can name it.
    private func references() async throws -> [String] {
        var query = OrderQuery()
        (query.endpoint, query.from, query.to) = (
            endpoint, file.progress.from, file.progress.to
        )
        var references: [String] = []
        try await ServerOrders(admin, clock: clock).forEach(query) { order in
            order.reference.map { references.append($0) }
        }
        return references.reversed()
    }

    private func ask(_ reference: String) async throws -> SweepResult {
        let path =
            "/orders/" + PercentEncoding.encode(Array(endpoint.utf8)) + "/"
            + PercentEncoding.encode(Array(reference.utf8))
        let before = try before(reference, path)
        let report = try await inquire(path)
        return SweepResult(
            reference, before: before, after: try order(path), verdict: report.verdict,
            reason: report.reason, detail: report.detail,
            retryAfterSeconds: report.retryAfterSeconds)
    }

    /// The order before its first inquiry: an interrupted run may have recorded the answer.
    private func before(_ reference: String, _ path: String) throws -> LedgerOrder {
        if let before = file.progress.begun[ExactText(reference)] { return before }
        let before = try order(path) ?? LedgerOrder(.pending, reference: reference)
        try file.begin(reference, before)
        return before
    }

    /// Sends an inquiry. Waits as long as the server says: the provider limits inquiries, and the
    /// server's own schedule uses the same limit.
    private func inquire(_ path: String) async throws -> InquiryReportAnswer {
        while true {
            let seconds: Int
            switch try admin.ask("POST", "\(path)/inquire?patient=true")
                as AdminConnection.Reply<InquiryReportAnswer>
            {
            case .success(let report): return report
            case .refusal(429, _, let retryAfterSeconds):
                seconds = retryAfterSeconds ?? Self.pauseSeconds
            case .refusal(let status, let detail, _):
                throw ReconcileCommand.failure(
                    "\(admin.place) answers \(status): \(detail)", EX_UNAVAILABLE)
            }
            if seconds >= Self.longPauseSeconds {
                StandardError.print("waiting \(seconds) s before the next question")
            }
            try await clock.sleep(seconds: seconds)
        }
    }

    private func order(_ path: String) throws -> LedgerOrder? {
        let answer: OrderAnswer? = try admin.get(path)
        return answer.flatMap { LedgerOrder($0) }
    }
}

extension LedgerOrder {
    /// Nil if its status is that of another version of ipnd.
    init?(_ order: ListedOrder) {
        guard let status = OrderStatus(rawValue: order.status) else { return nil }
        self.init(status, reference: order.reference, first: order.first)
        (amount, captured, refunded) = (order.amount, order.captured, order.refunded)
        (expected, flags) = (order.expected, order.flags)
    }

    /// Nil if its status is that of another version of ipnd.
    init?(_ order: OrderAnswer) {
        guard let status = OrderStatus(rawValue: order.status) else { return nil }
        self.init(status, reference: order.reference)
        (amount, captured, refunded) = (order.amount, order.captured, order.refunded)
        (expected, flags) = (order.expected?.amount, order.flags)
        hasAttempts = !order.attempts.isEmpty
    }
}

/// The progress of a sweep, in a file or in memory.
final class SweepFile {
    private(set) var progress: SweepProgress
    private let path: String?
    private var descriptor: Int32 = -1

    /// Continues from the file if it exists. Throws an exit status after printing why it cannot.
    ///
    /// - Parameter takesEnd: Take the end of the period from the file, because none was given.
    init(_ path: String?, _ sweep: SweepProgress, takesEnd: Bool) throws {
        progress = sweep
        self.path = path
        guard let path else { return }
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.failure(path, "open") }
        let bytes = try Self.contents(descriptor, path)
        if bytes.isEmpty {
            try append(progress.head)
            return
        }
        do throws(SweepProgress.Mistake) {
            progress = try SweepProgress(parsing: bytes)
        } catch {
            throw ReconcileCommand.failure("\(path) is not the file of a sweep", EX_DATAERR)
        }
        guard progress.endpoint == sweep.endpoint, progress.from == sweep.from,
            takesEnd || progress.to == sweep.to
        else {
            throw ReconcileCommand.failure(
                "\(path) is of \(progress.endpoint), \(progress.from) to \(progress.to); "
                    + "give that period, or another file", EX_USAGE)
        }
        // A partial line, from an interrupted run, is dropped.
        let whole = (bytes.lastIndex(of: UInt8(ascii: "\n")) ?? -1) + 1
        guard ftruncate(descriptor, whole) == 0, lseek(descriptor, 0, SEEK_END) >= 0 else {
            throw Self.failure(path, "write")
        }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    func begin(_ reference: String, _ before: LedgerOrder) throws {
        try append(progress.begin(reference, before))
    }

    func note(_ reference: String, _ differences: [Difference]) throws {
        try append(progress.note(reference, differences))
    }

    /// Deletes the file after the sweep is reported.
    func remove() {
        if let path { unlink(path) }
    }

    private func append(_ bytes: [UInt8]) throws {
        guard let path else { return }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Self.failure(path, "write") }
            rest = rest.dropFirst(count)
        }
    }

    private static func contents(_ descriptor: Int32, _ path: String) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure(path, "read") }
            if count == 0 { return bytes }
            bytes += buffer[..<count]
        }
    }

    private static func failure(_ path: String, _ what: String) -> ExitCode {
        ReconcileCommand.failure(
            "\(path): \(what): \(String(cString: strerror(errno)))", EX_IOERR)
    }
}
