import Glibc
import HTTP
import HTTPServer
import JSON
import Payments
import Platform
import Providers
import Redaction
import Sealing
import Synchronization
import SystemPackage

/// The last refused requests, with all bytes, so that `ipnd explain` can say why one did not
/// verify. It is outside the journal, bounded, and rate-limited: anyone who can reach the port can
/// add entries, so they must cost little and never fill the disk.
///
/// The entries are JSON Lines in two files, the present one and the previous one. When the present
/// one is full, it replaces the previous one. So at least half of the limits is kept.
package final class RejectionLog: Sendable {
    /// The bounds of a rejection log.
    package struct Bounds: Sendable, Equatable {
        /// Largest number of entries.
        package var countMax: Int
        /// Largest size on disk.
        package var bytesMax: Int
        /// Largest number of entries added in one second; further refusals are only counted and
        /// logged.
        package var perSecondMax: Int

        package init(countMax: Int, bytesMax: Int, perSecondMax: Int) {
            self.countMax = countMax
            self.bytesMax = bytesMax
            self.perSecondMax = perSecondMax
        }
    }

    private struct State: ~Copyable {
        var descriptor: Int32
        var entries: Int
        var bytes: Int
        var second: UInt64 = 0
        var addedThisSecond = 0
        var next: UInt64
    }

    /// The names of the present and of the previous file.
    package static let fileName = "rejections.jsonl"
    package static let previousName = "rejections.previous.jsonl"

    private let directory: String
    private let bounds: Bounds
    private let seal: SideSeal
    private let state: Mutex<State>

    /// Why the log could not be opened at the start. It is tried again with the next entry: only a
    /// failure of the journal's disk may keep the server from receiving.
    package let openingError: Errno?

    /// Opens or creates the log in `directory`.
    ///
    /// - Parameter seal: Seals the requests and the addresses of clients.
    package init(
        directory: String, bounds: Bounds, seal: SideSeal = .rejections([]),
        clock: any Clock = SystemClock()
    ) {
        self.directory = directory
        self.bounds = bounds
        self.seal = seal
        var state = State(
            descriptor: -1, entries: 0, bytes: 0, next: UInt64(clock.wallMicroseconds))
        do throws(Errno) {
            try Self.open(in: directory, &state)
            openingError = nil
        } catch {
            openingError = error
        }
        self.state = Mutex(state)
    }

    deinit { state.withLock { _ = Glibc.close($0.descriptor) } }

    private static func open(in directory: String, _ state: inout State) throws(Errno) {
        if mkdir(directory, 0o700) != 0, errno != EEXIST { throw Errno(rawValue: errno) }
        let descriptor = try open("\(directory)/\(fileName)")
        var status = stat()
        // The number of earlier entries is estimated from their usual size. It is only a bound.
        state.bytes = fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
        state.entries = state.bytes / 1024
        state.descriptor = descriptor
    }

    /// Adds an entry. Returns its id; nil if it exceeds the rate or could not be written.
    func add(
        _ refusal: Refusal, _ request: Request, at endpoint: Endpoint, _ context: RequestContext,
        _ arrival: Arrival
    ) -> String? {
        let cause = Cause(
            endpoint: endpoint.name, provider: endpoint.providerName, reason: refusal.reason,
            detail: refusal.detail, redactor: endpoint.redactor)
        return add(cause, request, context, arrival)
    }

    /// Adds an entry for a request to an unknown path.
    func add(
        _ misdirection: Misdirection, _ request: Request, _ context: RequestContext,
        _ arrival: Arrival
    ) -> String? {
        let cause = Cause(
            endpoint: "", nearest: misdirection.nearest.name, provider: misdirection.system,
            reason: RoutingRefusal.unknownPath.rawValue, detail: misdirection.sentence,
            redactor: misdirection.nearest.redactor)
        return add(cause, request, context, arrival)
    }

    /// The members of an entry besides the request.
    private struct Cause {
        /// Empty for an unknown path.
        var endpoint: String
        /// The endpoint that it was probably meant for; nil if it reached an endpoint.
        var nearest: String?
        var provider: String
        var reason: String
        var detail: String
        var redactor: Redactor
    }

    private func add(
        _ cause: Cause, _ request: Request, _ context: RequestContext, _ arrival: Arrival
    ) -> String? {
        state.withLock { state -> String? in
            let second = arrival.monotonic.nanoseconds / 1_000_000_000
            if state.second != second {
                state.second = second
                state.addedThisSecond = 0
                if state.descriptor < 0 { try? Self.open(in: directory, &state) }
            }
            guard state.addedThisSecond < bounds.perSecondMax else { return nil }
            state.addedThisSecond += 1
            state.next += 1
            let id = String(state.next, radix: 36)
            let entry = encode(id, cause, request, context, arrival)
            guard entry.count <= bounds.bytesMax / 2 else { return nil }
            if state.entries >= bounds.countMax / 2
                || state.bytes + entry.count > bounds.bytesMax / 2
            {
                rotate(&state)
            }
            // One write for a whole line: unless the disk is full, a reader never sees half a line.
            guard Glibc.write(state.descriptor, entry, entry.count) == entry.count else {
                return nil
            }
            state.entries += 1
            state.bytes += entry.count
            return id
        }
    }

    /// Replaces the personal part of every entry whose request has one of these words by `erased`.
    /// The old files are overwritten, as far as the file system writes into a place again.
    ///
    /// - Returns: Number of entries.
    package func erase(naming words: [String]) throws(Errno) -> Int {
        let words = ErasedWords(words)
        return try rewrite { line in
            ErasableEntry(line).flatMap { words.name($0, seal) ? $0.erased : nil }
        }
    }

    /// The same for every entry that was received before `time`.
    package func erase(before time: Timestamp) throws(Errno) -> Int {
        // Entries are in the order in which they came: most of the log is not even read as JSON.
        var isReached = false
        return try rewrite { line in
            guard !isReached, let entry = ErasableEntry(line), let received = entry.received else {
                return nil
            }
            isReached = received >= time
            return isReached ? nil : entry.erased
        }
    }

    private func rewrite(_ change: (ArraySlice<UInt8>) -> [UInt8]?) throws(Errno) -> Int {
        try state.withLock { state throws(Errno) in
            var count = 0
            for name in [Self.previousName, Self.fileName] {
                count += try RejectionFile("\(directory)/\(name)").rewrite(change)
            }
            guard count > 0, state.descriptor >= 0 else { return count }
            Glibc.close(state.descriptor)
            state.descriptor = -1
            try Self.open(in: directory, &state)
            return count
        }
    }

    private func rotate(_ state: inout State) {
        let present = "\(directory)/\(Self.fileName)"
        rename(present, "\(directory)/\(Self.previousName)")
        guard let fresh = try? Self.open(present) else { return }
        Glibc.close(state.descriptor)
        state.descriptor = fresh
        state.entries = 0
        state.bytes = 0
    }

    private static func open(_ path: String) throws(Errno) -> Int32 {
        let descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Errno(rawValue: errno) }
        return descriptor
    }

    private func encode(
        _ id: String, _ cause: Cause, _ request: Request, _ context: RequestContext,
        _ arrival: Arrival
    ) -> [UInt8] {
        let line = JSONWriter.object(reserving: 1024 + request.body.count) { json in
            json.member("id", id)
            json.member("received", arrival.received.rfc3339)
            json.member("endpoint", cause.endpoint)
            json.member("nearest", ifPresent: cause.nearest)
            json.member("provider", cause.provider)
            json.member("reason", cause.reason)
            json.member("detail", cause.redactor.masked(cause.detail))
            guard seal.isOn else {
                return Self.writePersonalPart(request, cause, context, to: &json)
            }
            let plain = JSONWriter.object(reserving: 512 + request.body.count) {
                Self.writePersonalPart(request, cause, context, to: &$0)
            }
            guard let (master, box) = seal.seal(plain, bound: Array(id.utf8)) else { return }
            json.object("sealed") { sealed in
                sealed.member("master", master)
                sealed.member("bytes", box)
            }
        }
        return line + [UInt8(ascii: "\n")]
    }

    private static func writePersonalPart(
        _ request: Request, _ cause: Cause, _ context: RequestContext, to json: inout JSONWriter
    ) {
        json.member("client", context.clientText)
        json.key("request")
        request.recorded(by: cause.redactor).write(to: &json)
    }
}
