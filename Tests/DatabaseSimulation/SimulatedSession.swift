import PostgreSQL

/// A session at a simulated server.
struct SimulatedSession {
    /// What a client is told at the end of a round trip.
    struct Reply {
        var results: Result<[SimulatedRows], PostgresError>
        var warning: Notice?
    }

    struct Transaction {
        /// Begun by BEGIN; if not, it ends with the round trip.
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
    /// The round trip under way; nil when it waits for its client.
    var commands: [Command]?
    var next = 0
    var results: [SimulatedRows] = []
    var failure: PostgresError?
    var warning: Notice?
    var reply: Reply?
    /// A round trip that has not reached the server yet.
    var held: [Command]?
    /// Since when it waits for the lock of the head.
    var lockSince: UInt64?
    /// The client has hung up: the session ends when nothing that was sent is left to do.
    var isAbandoned = false
    var channels: Set<String> = []
    var isNotified = false

    init(id: Int, node: Int, lockNanosecondsMax: UInt64) {
        self.id = id
        self.node = node
        self.lockNanosecondsMax = lockNanosecondsMax
    }

    mutating func begin(_ commands: [Command]) {
        self.commands = commands
        (next, results, failure, warning, reply) = (0, [], nil, nil, nil)
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
