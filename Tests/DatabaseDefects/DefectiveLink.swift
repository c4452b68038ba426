import CPostgreSQL
import Platform
import PostgreSQL

/// A connection with a mistake. It recognises the store's statements by their names.
final class DefectiveLink: DatabaseLink {
    private let link: any DatabaseLink
    private let defect: DatabaseDefect
    private let memory: DefectMemory
    /// Commands that were answered and not sent.
    private var held: [Command] = []
    /// Messages that are sent when their answer is read.
    private var unsent: [[Command]] = []

    init(_ link: any DatabaseLink, _ defect: DatabaseDefect, _ memory: DefectMemory) {
        self.link = link
        self.defect = defect
        self.memory = memory
    }

    var host: String { link.host }
    var isAlive: Bool { link.isAlive }
    var warning: Notice? { defect == .ignoresWarnings ? nil : link.warning }
    func clearWarning() { link.clearWarning() }
    func close() { link.close() }
    func abandon() { link.abandon() }

    func awaitNotification(until deadline: MonotonicTime) throws(PostgresError) -> Bool {
        try link.awaitNotification(until: deadline)
    }

    func send(_ commands: [Command]) throws(PostgresError) { unsent.append(commands) }

    func receive(until deadline: MonotonicTime) throws(PostgresError) -> [PostgresResult] {
        guard !unsent.isEmpty else { throw .unexpected("nothing was sent") }
        let commands = unsent.removeFirst()
        let names = commands.map(\.name)
        switch defect {
        case .answersBeforeCommit: return try holding(commands, names, until: deadline)
        case .duplicatesWithoutCommit where names == ["commit"]:
            _ = try link.run([Command("ROLLBACK")], until: deadline)
            return [Self.answer("COMMIT")]
        case .showsUnconfirmed where names.contains("barrier"):
            return try unconfirmed(commands, names, until: deadline)
        case .sequenceFromSerial: return try counted(commands, names, until: deadline)
        case .forgetsLostCommits: return try forgetful(commands, names, until: deadline)
        default: return try link.run(commands, until: deadline)
        }
    }

    /// A result without rows that no server sent. The tag is a field of 64 bytes in libpq's result.
    private static func answer(_ tag: StaticString) -> PostgresResult {
        guard let handle = PQmakeEmptyPGresult(nil, PGRES_COMMAND_OK) else {
            preconditionFailure("no memory")
        }
        if let place = PQcmdStatus(handle) {
            tag.withUTF8Buffer { text in
                for (index, byte) in text.prefix(63).enumerated() {
                    place[index] = CChar(bitPattern: byte)
                }
                place[min(text.count, 63)] = 0
            }
        }
        return PostgresResult(handle)
    }

    private func holding(
        _ commands: [Command], _ names: [String], until deadline: MonotonicTime
    ) throws(PostgresError) -> [PostgresResult] {
        let late = held
        held = []
        if !late.isEmpty { _ = try link.run(late, until: deadline) }
        guard names.last == "commit", !names.contains("barrier") else {
            return try link.run(commands, until: deadline)
        }
        held = commands
        return names.map { Self.answer($0 == "commit" ? "COMMIT" : "") }
    }

    /// Removes the transaction that confirms.
    private func unconfirmed(
        _ commands: [Command], _ names: [String], until deadline: MonotonicTime
    ) throws(PostgresError) -> [PostgresResult] {
        let confirming: Set<String> = ["begin", "barrier", "commit"]
        let rest = commands.filter { !confirming.contains($0.name) }
        var results = rest.isEmpty ? [] : try link.run(rest, until: deadline)
        return names.map { name in
            confirming.contains(name)
                ? Self.answer(name == "commit" ? "COMMIT" : "") : results.removeFirst()
        }
    }

    /// Advances the head by a transaction before the batch, which then does not lock it.
    private func counted(
        _ commands: [Command], _ names: [String], until deadline: MonotonicTime
    ) throws(PostgresError) -> [PostgresResult] {
        if names.contains("advance") {
            let rest = commands.filter { $0.name != "advance" }
            var results = try link.run(rest, until: deadline)
            if let place = names.firstIndex(of: "advance") {
                results.insert(Self.answer(""), at: place)
            }
            return results
        }
        guard let place = names.firstIndex(of: "head") else {
            return try link.run(commands, until: deadline)
        }
        let begin = commands[0]
        let opened = try link.run([begin, commands[place]], until: deadline)
        let (sequence, chain) = (try opened[1].integer(0, 0), try opened[1].bytes(0, 1))
        let advance = Command(
            Statement(name: "advance", sql: "UPDATE head SET sequence = $1, chain = $2"))
        let count = Self.count(commands.first { $0.name == "known" })
        _ = try link.run(
            [
                advance.with(sequence + count).with(chain),
                Command(Statement(name: "commit", sql: "COMMIT")),
            ], until: deadline)
        let rest = commands.filter { $0.name != "head" }
        var results = try link.run(rest, until: deadline)
        results.insert(opened[1], at: place)
        return results
    }

    /// Maximum number of events in a batch: the length of the array that it looks up (binary form:
    /// dimensions, nulls, type, length).
    private static func count(_ lookup: Command?) -> Int64 {
        guard let bytes = lookup?.parameter(0), bytes.count >= 16 else { return 0 }
        return bytes.dropFirst(12).prefix(4).reduce(0) { $0 << 8 | Int64($1) }
    }

    private func forgetful(
        _ commands: [Command], _ names: [String], until deadline: MonotonicTime
    ) throws(PostgresError) -> [PostgresResult] {
        do throws(PostgresError) {
            var results = try link.run(commands, until: deadline)
            if let place = names.firstIndex(of: "known") {
                let isForgotten = memory.lostCommit.withLock { isLost in
                    defer { isLost = false }
                    return isLost
                }
                if isForgotten { results[place] = Self.answer("") }
            }
            return results
        } catch {
            if names.last == "commit", !error.leavesConnectionOpen {
                memory.lostCommit.withLock { $0 = true }
            }
            throw error
        }
    }
}
