import PostgreSQL

/// Servers with PostgreSQL's commit semantics: a primary with a synchronous standby, and those that
/// were primaries before.
///
/// - A commit is in the primary's log first. It becomes visible, and gives its locks back, when the
///   standby holds it.
/// - A wait for the standby that is cancelled makes the commit visible, with a warning. So does a
///   restart of the server, without any.
/// - A failover keeps what the standby holds. Sequences of what is lost are given again.
/// - Only what wrote to the log waits: a lock of a row and a message to the log do, a SELECT does
///   not.
struct SimulatedCluster {
    /// In nanoseconds.
    var now: UInt64 = 0
    private(set) var servers: [SimulatedServer]
    private(set) var primary = 0
    /// Sends these clients' new connections to the server that was the primary before.
    var goesToOld: Set<Int> = []
    var isRefusing = false
    private(set) var sessions: [Int: SimulatedSession] = [:]
    /// What was sent that the simulation does not know.
    private(set) var unknown: Set<String> = []
    private var lastID = 0

    init(_ tables: SimulatedTables = SimulatedTables()) { servers = [SimulatedServer(tables)] }

    /// What the standby would show if it were promoted now.
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

    /// A message, which reaches the server behind those that have not reached it yet.
    mutating func send(_ id: Int, _ commands: [Command]) {
        if sessions[id]?.held.isEmpty == false { return hold(id, commands) }
        sessions[id]?.take(commands)
        progress()
    }

    /// Keeps a message from reaching the server until `deliver`.
    mutating func hold(_ id: Int, _ commands: [Command]) { sessions[id]?.held.append(commands) }

    mutating func deliver(_ id: Int) {
        let held = sessions[id]?.held ?? []
        sessions[id]?.held = []
        for commands in held { send(id, commands) }
    }

    /// The oldest answer, once; nil while the server is busy.
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

    /// The client hangs up: what was sent is done all the same.
    mutating func abandon(_ id: Int) {
        sessions[id]?.isAbandoned = true
        progress()
    }

    func isOpen(_ id: Int) -> Bool { sessions[id] != nil }

    /// The server ends a session: what it has not committed is undone.
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

    /// Ends waits for the standby, those to come too; nil for no more. `warning` cancels them,
    /// `adminShutdown` ends the sessions.
    mutating func endWaits(_ state: SQLState?) {
        for node in servers.indices { servers[node].endsWaits = state }
        progress()
    }

    /// A server's processes die, and it comes back at once.
    mutating func restart() {
        servers[primary].restart()
        endSessions(primary)
    }

    /// The standby takes over. The old primary is gone, or goes on answering those that reach it.
    mutating func failOver(oldStaysUp: Bool) {
        let old = primary
        servers.append(servers[old].promoted)
        primary = servers.count - 1
        servers[old].isReplicating = false
        if !oldStaysUp { retire(old) }
    }

    /// The servers that were primaries before are gone.
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

    /// When something happens by itself: a wait for a lock that has lasted too long.
    var nextTimeout: UInt64? {
        sessions.values.compactMap { session in
            session.lockSince.map { $0 + session.lockNanosecondsMax }
        }.min()
    }

    // MARK: The work

    /// Lets every session go on as far as it comes.
    mutating func progress() {
        var isMoving = true
        while isMoving {
            isMoving = false
            for id in sessions.keys.sorted() where step(id) { isMoving = true }
        }
    }

    /// Whether something happened.
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

    /// False when it has to wait.
    private mutating func run(_ command: Command, _ session: inout SimulatedSession) -> Bool {
        let meaning = servers[session.node].visible.meaning(of: command)
        if session.transaction == nil {
            session.transaction = SimulatedSession.Transaction(isExplicit: false)
        }
        switch meaning {
        case .commit, .rollback: break
        default:
            // Of an earlier message: the transaction stays failed until it is ended.
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
            // What was committed while it waited counts: it reads the row again.
            session.results.append(rows(servers[session.node].visible))
        case .rows(let rows): session.results.append(rows)
        // A restart after a crash does not change it: the postmaster lives on.
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

    /// False while it waits for the standby.
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
