import ArgumentParser
import Bytes
import Console
import Glibc
import JSON
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
    private static let silencesMax = 10
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
        var silences = 0
        for round in 1...Self.triesMax where !open.isEmpty && outcome.interruption == nil {
            if round > 1 { try await clock.sleep(seconds: Self.pauseSeconds) }
            var again: [String] = []
            for reference in open {
                bar.show(references.count - open.count - again.count, of: references.count)
                var result = try await ask(reference)
                // Throttled: no answer about the order. The server accepts the next question when
                // the pause ends.
                while result.isThrottled, silences + 1 < Self.silencesMax {
                    silences += 1
                    result = try await ask(reference)
                }
                refusals = result.verdict == "denied" ? refusals + 1 : 0
                silences = result.verdict == "retry" ? silences + 1 : 0
                if refusals == Self.refusalsMax {
                    outcome.interruption = "the provider refuses to answer: \(result.detail)"
                } else if silences == Self.silencesMax {
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
            order["reference"]?.string.map { references.append($0) }
        }
        return references.reversed()
    }

    private func ask(_ reference: String) async throws -> SweepResult {
        let path =
            "/orders/" + PercentEncoding.encode(Array(endpoint.utf8)) + "/"
            + PercentEncoding.encode(Array(reference.utf8))
        let before = try before(reference, path)
        let answer = try await inquire(path)
        guard answer.status == 200 else {
            let detail = answer.body["detail"]?.string ?? ""
            throw ReconcileCommand.failure(
                "\(admin.place) answers \(answer.status): \(detail)", EX_UNAVAILABLE)
        }
        return SweepResult(
            reference, before: before, after: try order(path),
            verdict: answer.body["verdict"]?.string ?? "",
            reason: answer.body["reason"]?.string ?? "",
            detail: answer.body["detail"]?.string ?? "",
            retryAfterSeconds: answer.body["retryAfterSeconds"]?.int64)
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
    private func inquire(_ path: String) async throws -> AdminConnection.Answer {
        while true {
            let answer = try admin.ask("POST", "\(path)/inquire?patient=true")
            guard answer.status == 429 else { return answer }
            let seconds = answer.retryAfterSeconds ?? Self.pauseSeconds
            if seconds >= Self.longPauseSeconds {
                StandardError.print("waiting \(seconds) s before the next question")
            }
            try await clock.sleep(seconds: seconds)
        }
    }

    private func order(_ path: String) throws -> LedgerOrder? {
        try admin.get(path).flatMap { LedgerOrder($0.root) }
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
