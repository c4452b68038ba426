import Bytes
import Cryptography
import Glibc
import Payments
import Platform
import Synchronization

/// Appends the audit trail: JSON Lines in files of limited size, each line with the hash of the one
/// before, so that a changed or removed line is noticed (`AuditTrail`). Beyond a total size and an
/// age, the oldest files are removed.
///
/// An entry is written before the answer that it is about. It survives a crash of the program; it
/// is not synced, so a power cut can lose the entries of the last seconds. Acts are also in the
/// store, durably.
package final class AuditLog: Sendable {
    /// The bounds of the trail.
    package struct Bounds: Sendable, Equatable {
        package var retainDays: Int
        package var bytesMax: Int

        package init(retainDays: Int, bytesMax: Int) {
            self.retainDays = retainDays
            self.bytesMax = bytesMax
        }
    }

    /// Time within which an entry that repeats one is only counted, in one more entry.
    static let repeatSeconds = 60
    /// Most callers and subjects whose repetitions are counted at a time.
    static let heldMax = 1024
    /// Most addresses with wrong tokens that have entries of their own at a time: anyone who can
    /// reach the port adds such entries, and must not push out the others.
    static let strangersMax = 8
    /// Size at which the next file begins.
    static let fileBytesMax = 4 << 20

    private struct Held {
        var entry: AuditEntry
        var count: Int
        var until: MonotonicTime
    }

    private struct State: ~Copyable {
        var descriptor: Int32 = -1
        var bytes = 0
        var number: UInt64 = 0
        var previous = AuditTrail.firstHash
        var held: [String: Held] = [:]
        var failures = 0
    }

    private let folder: String
    private let bounds: Bounds
    private let fileBytesMax: Int
    private let clock: any Clock
    private let onFailure: @Sendable (_ problem: String) -> Void
    private let state = Mutex(State())

    /// - Parameter onFailure: Called for each entry that could not be written, to log it.
    package init(
        folder: String, bounds: Bounds, fileBytesMax: Int = AuditLog.fileBytesMax,
        clock: any Clock,
        onFailure: @escaping @Sendable (_ problem: String) -> Void = { _ in }
    ) {
        self.folder = folder
        self.bounds = bounds
        self.fileBytesMax = fileBytesMax
        self.clock = clock
        self.onFailure = onFailure
    }

    deinit { state.withLock { if $0.descriptor >= 0 { _ = Glibc.close($0.descriptor) } } }

    /// The folder, for readers.
    package var directory: String { folder }

    /// Entries since the start, and those that could not be written.
    package var figures: (written: UInt64, failed: Int) {
        state.withLock { ($0.number, $0.failures) }
    }

    /// Appends an entry, or counts it where it repeats one. Returns whether the trail has it.
    ///
    /// - Parameter isProgram: Whether the caller is a program with a shared token, all of whose
    ///   looks of one kind repeat each other. A person's look repeats one at the same subject.
    @discardableResult
    package func add(_ entry: AuditEntry, isProgram: Bool = false) -> Bool {
        let now = clock.now
        let kind = AuditEntry.What(rawValue: entry.what)
        let problem = state.withLock { state -> String? in
            guard kind?.canRepeat == true else { return append(entry, &state) }
            return repeated(entry, isProgram: isProgram, now, &state)
        }
        guard let problem else { return true }
        onFailure(problem)
        return false
    }

    /// Appends the counts that are held back. Called at the end of the service.
    package func flush() {
        let problem = state.withLock { state -> String? in
            var problem: String?
            for key in state.held.keys.sorted() {
                if let held = state.held.removeValue(forKey: key), held.count > 0 {
                    problem = append(held.entry, count: held.count, &state) ?? problem
                }
            }
            return problem
        }
        if let problem { onFailure(problem) }
    }

    private func repeated(
        _ entry: AuditEntry, isProgram: Bool, _ now: MonotonicTime, _ state: inout State
    ) -> String? {
        var problem: String?
        // The counts of callers that have gone, too, so that they are not held back for long.
        for (other, held) in state.held where !(now < held.until) {
            state.held[other] = nil
            guard held.count > 0 else { continue }
            problem = append(held.entry, count: held.count, &state) ?? problem
        }
        var entry = entry
        var key = Self.key(of: entry, isProgram: isProgram)
        if entry.isByStranger, state.held[key] == nil,
            state.held.count(where: { $0.value.entry.isByStranger }) >= Self.strangersMax
        {
            entry.remote = "others"
            key = Self.key(of: entry, isProgram: isProgram)
        }
        if var held = state.held[key] {
            held.count += 1
            held.entry = entry
            state.held[key] = held
            return problem
        }
        problem = append(entry, &state) ?? problem
        guard problem == nil, state.held.count < Self.heldMax + Self.strangersMax else {
            return problem
        }
        state.held[key] = Held(
            entry: entry, count: 0, until: now.advanced(seconds: Self.repeatSeconds))
        return nil
    }

    private static func key(of entry: AuditEntry, isProgram: Bool) -> String {
        let subject = isProgram || entry.isByStranger ? "" : entry.on ?? ""
        return [entry.what, entry.who, entry.remote, "\(entry.result ?? 0)", subject]
            .joined(separator: "\n")
    }

    /// Appends a line. Returns the problem that prevents it.
    private func append(
        _ entry: AuditEntry, count: Int? = nil, _ state: inout State
    ) -> String? {
        if state.descriptor < 0 || state.bytes >= fileBytesMax {
            if let problem = openNext(&state) { return failed(problem, &state) }
        }
        var entry = entry
        entry.number = state.number + 1
        entry.time = clock.timestamp
        entry.count = count
        entry.previous = state.previous
        let text = entry.json()
        let line = text + [UInt8(ascii: "\n")]
        // One write for a whole line: a reader never sees half of one, unless the disk is full.
        let written = Glibc.write(state.descriptor, line, line.count)
        guard written == line.count else {
            let problem = written < 0 ? String(cString: strerror(errno)) : "the disk is full"
            // The next entry begins a line of its own in a file of its own.
            _ = Glibc.close(state.descriptor)
            state.descriptor = -1
            return failed("\(folder): \(problem)", &state)
        }
        state.bytes += line.count
        state.number = entry.number
        state.previous = AuditTrail.hash(of: text[...])
        return nil
    }

    private func failed(_ problem: String, _ state: inout State) -> String {
        state.failures += 1
        return problem
    }

    /// Opens the last file, or the next one where that is full. Returns the problem.
    private func openNext(_ state: inout State) -> String? {
        if mkdir(folder, 0o700) != 0, errno != EEXIST {
            return "\(folder): \(String(cString: strerror(errno)))"
        }
        if state.descriptor >= 0 { _ = Glibc.close(state.descriptor) }
        state.descriptor = -1
        let files = AuditTrail.files(in: folder)
        // The trail on disk counts, because a failed write may have left a part of a line.
        if let last = AuditTrail.last(in: folder, of: files) {
            (state.number, state.previous) = (last.number, last.hash)
        }
        removeOld(files)
        var name = AuditTrail.name(of: state.number + 1)
        if let present = files.last,
            let size = AuditTrail.size("\(folder)/\(present)"), size < fileBytesMax,
            AuditTrail.endsWithLine("\(folder)/\(present)")
        {
            name = present
        }
        let flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW
        state.descriptor = Glibc.open("\(folder)/\(name)", flags, 0o600)
        guard state.descriptor >= 0 else {
            return "\(folder)/\(name): \(String(cString: strerror(errno)))"
        }
        state.bytes = AuditTrail.size("\(folder)/\(name)") ?? 0
        return nil
    }

    private func removeOld(_ files: [String]) {
        let oldest = Int64(clock.coarseWallSeconds) - Int64(bounds.retainDays) * 86_400
        var bytes = files.reduce(0) { $0 + (AuditTrail.size("\(folder)/\($1)") ?? 0) }
        for name in files.dropLast() {
            let path = "\(folder)/\(name)"
            guard let size = AuditTrail.size(path), let changed = AuditTrail.changed(path) else {
                continue
            }
            guard bytes > bounds.bytesMax || changed < oldest else { return }
            unlink(path)
            bytes -= size
        }
    }
}
