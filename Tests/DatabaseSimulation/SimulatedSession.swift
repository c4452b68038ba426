import PostgreSQL

/// A session at a simulated server.
struct SimulatedSession {
    /// What a client is told at the end of a message.
    struct Reply {
        var results: Result<[SimulatedRows], PostgresError>
        var warning: Notice?
    }

    struct Transaction {
        /// Begun by BEGIN; if not, it ends with the message.
        var isExplicit: Bool
        /// It wrote to the log, if only a lock: then its commit waits for the standby.
        var hasWritten = false
        var isFailed = false
        var writes: [SimulatedTables.Write] = []
        /// How long the server's log is with its commit; nil before that.
        var committedAt: Int?
    }

    let id: Int
    /// Where in the cluster its server is.
    let node: Int
    let lockNanosecondsMax: UInt64
    var transaction: Transaction?
    /// The message under way; nil when it waits for its client.
    var commands: [Command]?
    /// Messages that have come meanwhile.
    private(set) var waiting: [[Command]] = []
    var next = 0
    var results: [SimulatedRows] = []
    var failure: PostgresError?
    var warning: Notice?
    /// The answer to the message under way.
    var reply: Reply?
    /// Answers that the client has not taken yet.
    var replies: [Reply] = []
    /// Messages that have not reached the server yet.
    var held: [[Command]] = []
    /// Since when it waits for the lock of the head.
    var lockSince: UInt64?
    /// The server has ended it: what comes now is lost.
    private(set) var isEnded = false
    /// The client has hung up: the session ends when nothing that was sent is left to do.
    var isAbandoned = false
    var channels: Set<String> = []
    var isNotified = false

    init(id: Int, node: Int, lockNanosecondsMax: UInt64) {
        self.id = id
        self.node = node
        self.lockNanosecondsMax = lockNanosecondsMax
    }

    /// A message has come.
    mutating func take(_ commands: [Command]) {
        guard !isEnded else { return }
        waiting.append(commands)
        if self.commands == nil { beginNext() }
    }

    /// The message under way is answered: the next one is begun, unless the session has ended.
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

    /// The server has ended the session: nothing more is done.
    mutating func end(_ reason: String) {
        (isEnded, commands, waiting, held, lockSince) = (true, nil, [], [], nil)
        replies.append(Reply(results: .failure(.lost(reason)), warning: warning))
    }
}

/// A simulated server, with as much of its log as its synchronous standby holds.
struct SimulatedServer {
    /// Every commit, in the order of the log.
    private(set) var log: [[SimulatedTables.Write]] = []
    /// What its sessions see: a commit that waits for the standby is not among it, until the server
    /// is restarted.
    private(set) var visible: SimulatedTables
    private let base: SimulatedTables
    /// The standby holds the log up to here, and would show this.
    private(set) var replicatedCount = 0
    private(set) var standby: SimulatedTables
    /// Whether the standby gets what is committed.
    var isReplicating = true { didSet { replicate() } }
    var isUp = true
    /// Somebody at the server ends all waits for the standby.
    var endsWaits: SQLState?
    var lockOwner: Int?
    var lockQueue: [Int] = []

    init(_ tables: SimulatedTables) {
        base = tables
        visible = tables
        standby = tables
    }

    /// What becomes of the standby when it is promoted: it shows all that it received. It has a
    /// standby of its own.
    var promoted: SimulatedServer {
        var server = SimulatedServer(base)
        server.log = Array(log.prefix(replicatedCount))
        server.visible = standby
        server.replicate()
        return server
    }

    /// Recovery makes everything visible that the log holds.
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
