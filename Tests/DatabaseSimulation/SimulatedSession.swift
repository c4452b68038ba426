import PostgreSQL

/// A session of a simulated server.
struct SimulatedSession {
    /// The answer at the end of a message.
    struct Reply {
        var results: Result<[SimulatedRows], PostgresError>
        var warning: Notice?
    }

    struct Transaction {
        /// Whether BEGIN has started it; otherwise it ends with the message.
        var isExplicit: Bool
        /// Whether it wrote to the log, if only a lock, so that its commit waits for the standby.
        var hasWritten = false
        var isFailed = false
        var writes: [SimulatedTables.Write] = []
        /// Length of the server's log with its commit; nil before the commit.
        var committedAt: Int?
    }

    let id: Int
    /// The index of its server in the cluster.
    let node: Int
    let lockNanosecondsMax: UInt64
    var transaction: Transaction?
    /// The message that is being processed; nil while it waits for its client.
    var commands: [Command]?
    /// Messages that have arrived meanwhile.
    private(set) var waiting: [[Command]] = []
    var next = 0
    var results: [SimulatedRows] = []
    var failure: PostgresError?
    var warning: Notice?
    /// The answer to the message that is being processed.
    var reply: Reply?
    /// Answers that the client has not read yet.
    var replies: [Reply] = []
    /// Messages that have not reached the server yet.
    var held: [[Command]] = []
    /// When its wait for the lock of the head began.
    var lockSince: UInt64?
    /// Whether the server has ended it, so that later messages are lost.
    private(set) var isEnded = false
    /// Whether the client has disconnected: the session ends after its last message.
    var isAbandoned = false
    var channels: Set<String> = []
    var isNotified = false

    init(id: Int, node: Int, lockNanosecondsMax: UInt64) {
        self.id = id
        self.node = node
        self.lockNanosecondsMax = lockNanosecondsMax
    }

    /// Receives a message.
    mutating func take(_ commands: [Command]) {
        guard !isEnded else { return }
        waiting.append(commands)
        if self.commands == nil { beginNext() }
    }

    /// Answers the message and begins the next one, unless the session has ended.
    mutating func finish() {
        commands = nil
        if let reply { replies.append(reply) }
        if case .failure(.lost) = reply?.results { (isEnded, waiting) = (true, []) }
        reply = nil
        beginNext()
    }

    private mutating func beginNext() {
        guard !waiting.isEmpty else { return }
        commands = waiting.removeFirst()
        (next, results, failure, warning, reply) = (0, [], nil, nil, nil)
    }

    /// Ends the session at the server: nothing more is processed.
    mutating func end(_ reason: String) {
        (isEnded, commands, waiting, held, lockSince) = (true, nil, [], [], nil)
        replies.append(Reply(results: .failure(.lost(reason)), warning: warning))
    }
}

/// A simulated server, with the part of its log that its synchronous standby has.
struct SimulatedServer {
    /// Every commit, in the order of the log.
    private(set) var log: [[SimulatedTables.Write]] = []
    /// The tables that its sessions see: without commits that wait for the standby, until the
    /// server is restarted.
    private(set) var visible: SimulatedTables
    private let base: SimulatedTables
    /// Length of the standby's log, and the tables that it would show.
    private(set) var replicatedCount = 0
    private(set) var standby: SimulatedTables
    /// Whether the standby receives commits.
    var isReplicating = true { didSet { replicate() } }
    var isUp = true
    /// The state with which an operator ends all waits for the standby.
    var endsWaits: SQLState?
    var lockOwner: Int?
    var lockQueue: [Int] = []

    init(_ tables: SimulatedTables) {
        base = tables
        visible = tables
        standby = tables
    }

    /// The standby after its promotion: it shows everything that it received, and has another
    /// standby.
    var promoted: SimulatedServer {
        var server = SimulatedServer(base)
        server.log = Array(log.prefix(replicatedCount))
        server.visible = standby
        server.replicate()
        return server
    }

    /// Restarts: recovery makes the whole log visible.
    mutating func restart() {
        visible = base
        for writes in log { for write in writes { visible.apply(write) } }
        (lockOwner, lockQueue) = (nil, [])
    }

    mutating func append(_ writes: [SimulatedTables.Write]) -> Int {
        log.append(writes)
        replicate()
        return log.count
    }

    private mutating func replicate() {
        guard isReplicating else { return }
        for writes in log[replicatedCount...] { for write in writes { standby.apply(write) } }
        replicatedCount = log.count
    }

    mutating func show(_ writes: [SimulatedTables.Write]) {
        for write in writes { visible.apply(write) }
    }
}
