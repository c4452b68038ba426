import PostgreSQL

/// Servers with PostgreSQL's commit semantics: a primary with a synchronous standby, and former
/// primaries.
///
/// - A commit is first in the primary's log. It becomes visible, and releases its locks, when the
///   standby has it.
/// - A cancelled wait for the standby makes the commit visible, with a warning. A restart of the
///   server makes it visible without a warning.
/// - A failover keeps the standby's content. Sequences of lost records are used again.
/// - Only transactions that wrote to the log wait: a row lock and a message to the log do, a SELECT
///   does not.
struct SimulatedCluster {
    /// The time in nanoseconds.
    var now: UInt64 = 0
    private(set) var servers: [SimulatedServer]
    private(set) var primary = 0
    /// Clients whose new connections go to the former primary.
    var goesToOld: Set<Int> = []
    var isRefusing = false
    private(set) var sessions: [Int: SimulatedSession] = [:]
    /// Statements that the simulation does not support.
    private(set) var unknown: Set<String> = []
    private var lastID = 0

    init(_ tables: SimulatedTables = SimulatedTables()) { servers = [SimulatedServer(tables)] }

    /// The tables of the standby if it were promoted now.
    var survivors: SimulatedTables { servers[primary].standby }
    var visible: SimulatedTables { servers[primary].visible }

    // MARK: Clients

    mutating func connect(
        _ client: Int, lockNanosecondsMax: UInt64
    ) throws(PostgresError) -> Int {
        guard !isRefusing else { throw .unreachable("nothing listens") }
        let old = servers.indices.last { $0 != primary && servers[$0].isUp }
        let node = goesToOld.contains(client) ? old ?? primary : primary
        lastID += 1
        sessions[lastID] = SimulatedSession(
            id: lastID, node: node, lockNanosecondsMax: lockNanosecondsMax)
        return lastID
    }

    /// Sends a message, which reaches the server after the earlier ones.
    mutating func send(_ id: Int, _ commands: [Command]) {
        if sessions[id]?.held.isEmpty == false { return hold(id, commands) }
        sessions[id]?.take(commands)
        progress()
    }

    /// Holds a message back until `deliver`.
    mutating func hold(_ id: Int, _ commands: [Command]) { sessions[id]?.held.append(commands) }

    mutating func deliver(_ id: Int) {
        let held = sessions[id]?.held ?? []
        sessions[id]?.held = []
        for commands in held { send(id, commands) }
    }

    /// Takes the oldest answer; nil while the server is busy.
    mutating func takeReply(_ id: Int) -> SimulatedSession.Reply? {
        guard let session = sessions[id] else {
            return SimulatedSession.Reply(results: .failure(.lost("the server hung up")))
        }
        guard let reply = session.replies.first else { return nil }
        sessions[id]?.replies.removeFirst()
        if case .failure(.lost) = reply.results { sessions[id] = nil }
        return reply
    }

    mutating func takeNotification(_ id: Int) -> Bool {
        defer { sessions[id]?.isNotified = false }
        return sessions[id]?.isNotified == true
    }

    /// Closes the client's end: messages that were sent are still processed.
    mutating func abandon(_ id: Int) {
        sessions[id]?.isAbandoned = true
        progress()
    }

    func isOpen(_ id: Int) -> Bool { sessions[id] != nil }

    /// Ends a session at the server, which rolls back its transaction.
    mutating func end(_ id: Int, _ reason: String = "the connection was cut") {
        remove(id, reason)
        progress()
    }

    private mutating func remove(_ id: Int, _ reason: String) {
        guard var session = sessions[id] else { return }
        release(session.node, id)
        session.transaction = nil
        guard session.commands != nil || !session.held.isEmpty, !session.isAbandoned else {
            sessions[id] = nil
            return
        }
        session.end(reason)
        sessions[id] = session
    }

    // MARK: Operators and accidents

    mutating func setReplicating(_ isReplicating: Bool) {
        servers[primary].isReplicating = isReplicating
        progress()
    }

    /// Ends the present and future waits for the standby; nil ends no more. `warning` cancels the
    /// waits, `adminShutdown` ends the sessions.
    mutating func endWaits(_ state: SQLState?) {
        for node in servers.indices { servers[node].endsWaits = state }
        progress()
    }

    /// Restarts the server after a crash of its processes.
    mutating func restart() {
        servers[primary].restart()
        endSessions(primary)
    }

    /// Promotes the standby. The old primary is gone, or still answers the clients that reach it.
    mutating func failOver(oldStaysUp: Bool) {
        let old = primary
        servers.append(servers[old].promoted)
        primary = servers.count - 1
        servers[old].isReplicating = false
        if !oldStaysUp { retire(old) }
    }

    /// Removes the former primaries.
    mutating func retireOld() {
        for node in servers.indices where node != primary { retire(node) }
        goesToOld = []
    }

    private mutating func retire(_ node: Int) {
        servers[node].isUp = false
        endSessions(node)
    }

    private mutating func endSessions(_ node: Int) {
        for id in sessions.keys.sorted() where sessions[id]?.node == node {
            remove(id, "the server crashed")
        }
        progress()
    }

    /// When the next timeout is due, of a wait for a lock.
    var nextTimeout: UInt64? {
        sessions.values.compactMap { session in
            session.lockSince.map { $0 + session.lockNanosecondsMax }
        }.min()
    }

    // MARK: The work

    /// Runs every session as far as possible.
    mutating func progress() {
        var isMoving = true
        while isMoving {
            isMoving = false
            for id in sessions.keys.sorted() where step(id) { isMoving = true }
        }
    }

    /// Runs a step of a session; returns whether there was one.
    private mutating func step(_ id: Int) -> Bool {
        guard var session = sessions[id] else { return false }
        guard let commands = session.commands else {
            guard session.isAbandoned, session.held.isEmpty else { return false }
            remove(id, "")
            return true
        }
        let start = session.next
        while session.next < commands.count, session.failure == nil {
            guard run(commands[session.next], &session) else {
                sessions[id] = session
                return session.next > start
            }
            // Its wait was ended together with the session.
            if session.reply != nil { return finish(session) }
            session.next += 1
        }
        if session.transaction?.isExplicit == false {
            if session.failure == nil {
                guard commit(&session) else {
                    sessions[id] = session
                    return session.next > start
                }
                if session.reply != nil { return finish(session) }
            }
            release(session.node, id)
            session.transaction = nil
        }
        session.reply = SimulatedSession.Reply(
            results: session.failure.map { .failure($0) } ?? .success(session.results),
            warning: session.warning)
        return finish(session)
    }

    private mutating func finish(_ session: SimulatedSession) -> Bool {
        var session = session
        session.finish()
        sessions[session.id] = session
        return true
    }

    /// Runs a command; returns false if it has to wait.
    private mutating func run(_ command: Command, _ session: inout SimulatedSession) -> Bool {
        let meaning = servers[session.node].visible.meaning(of: command)
        if session.transaction == nil {
            session.transaction = SimulatedSession.Transaction(isExplicit: false)
        }
        switch meaning {
        case .commit, .rollback: break
        default:
            // An earlier message failed: the transaction stays failed until it is ended.
            guard session.transaction?.isFailed != true else {
                fail(&session, .other("25P02"), "current transaction is aborted")
                return true
            }
        }
        switch meaning {
        case .begin:
            session.transaction?.isExplicit = true
            session.results.append(SimulatedRows(tag: "BEGIN"))
        case .commit:
            if session.transaction?.isFailed != true, !commit(&session) { return false }
            let isFailed = session.transaction?.isFailed == true
            session.results.append(SimulatedRows(tag: isFailed ? "ROLLBACK" : "COMMIT"))
            release(session.node, session.id)
            session.transaction = nil
        case .rollback:
            session.results.append(SimulatedRows(tag: "ROLLBACK"))
            release(session.node, session.id)
            session.transaction = nil
        case .lockHead(let rows):
            guard lock(&session) else { return session.failure != nil }
            // After the wait it reads the row again, with the commits made meanwhile.
            session.results.append(rows(servers[session.node].visible))
        case .rows(let rows): session.results.append(rows)
        // A restart after a crash does not change it, because the postmaster lives on.
        case .rowsOf(let rows): session.results.append(rows("server \(session.node)"))
        case .writes(let writes, let rows):
            session.transaction?.hasWritten = true
            session.transaction?.writes += writes
            session.results.append(rows)
        case .message:
            session.transaction?.hasWritten = true
            session.results.append(SimulatedRows([[[0, 0, 0, 0, 0, 0, 0, 1]]]))
        case .listen(let channel):
            session.channels.insert(channel.filter { $0 != "\"" })
            session.results.append(SimulatedRows(tag: "LISTEN"))
        case .failure(let state, let text): fail(&session, state, text)
        case .unknown:
            unknown.insert("\(command.name): \(command.sql)")
            fail(&session, .other("42601"), "the simulation does not know \(command.sql)")
        }
        return true
    }

    private func fail(_ session: inout SimulatedSession, _ state: SQLState, _ text: String) {
        session.failure = .statement(state, text)
        session.transaction?.isFailed = true
    }

    private mutating func lock(_ session: inout SimulatedSession) -> Bool {
        let id = session.id
        var server = servers[session.node]
        defer { servers[session.node] = server }
        if server.lockOwner == id { return true }
        if server.lockOwner == nil, server.lockQueue.first ?? id == id {
            server.lockOwner = id
            server.lockQueue.removeAll { $0 == id }
            session.lockSince = nil
            session.transaction?.hasWritten = true
            return true
        }
        if !server.lockQueue.contains(id) { server.lockQueue.append(id) }
        let since = session.lockSince ?? now
        session.lockSince = since
        if now >= since + session.lockNanosecondsMax {
            server.lockQueue.removeAll { $0 == id }
            session.lockSince = nil
            fail(&session, .lockTimeout, "canceling statement due to lock timeout")
        }
        return false
    }

    private mutating func release(_ node: Int, _ id: Int) {
        if servers[node].lockOwner == id { servers[node].lockOwner = nil }
        servers[node].lockQueue.removeAll { $0 == id }
    }

    /// Commits; returns false while it waits for the standby.
    private mutating func commit(_ session: inout SimulatedSession) -> Bool {
        guard var transaction = session.transaction, transaction.hasWritten else { return true }
        let node = session.node
        let place = transaction.committedAt ?? servers[node].append(transaction.writes)
        transaction.committedAt = place
        session.transaction = transaction
        if servers[node].replicatedCount < place {
            guard let state = servers[node].endsWaits else { return false }
            session.warning = Notice(
                severity: "WARNING", state: state,
                message: "canceling wait for synchronous replication")
            if state == .adminShutdown {
                session.reply = SimulatedSession.Reply(
                    results: .failure(.lost("terminating connection (57P01)")),
                    warning: session.warning)
            }
        }
        servers[node].show(transaction.writes)
        notify(transaction.writes, node)
        if session.reply != nil {
            release(node, session.id)
            session.transaction = nil
        }
        return true
    }

    private mutating func notify(_ writes: [SimulatedTables.Write], _ node: Int) {
        for case .notification(let channel) in writes {
            for id in sessions.keys where sessions[id]?.node == node {
                if sessions[id]?.channels.contains(channel) == true {
                    sessions[id]?.isNotified = true
                }
            }
        }
    }
}
