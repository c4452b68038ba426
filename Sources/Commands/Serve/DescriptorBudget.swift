import HTTP
import Platform
import ServerConfiguration

/// The distribution of the process's file descriptors: first to the journal, the index and the
/// readers of the feed, then to connections. Without it, idle unauthenticated clients could take
/// the descriptor that the next segment needs.
struct DescriptorBudget {
    /// Connections to the listeners for notifications, and to the admin listener.
    let connectionsMax: Int
    let adminConnectionsMax: Int
    /// Connections to the listener for shoppers' apps.
    let outcomeConnectionsMax: Int

    /// Directory, `lock`, two segments, a snapshot, retention, a torn tail, and files opened
    /// briefly.
    private static let journal = 16
    /// SQLite's database, log and shared memory for a writer and four readers, and its temporary
    /// files.
    private static let index = 24
    /// Readers of the feed's history and its tail and the indexer, each with a file and a
    /// directory.
    private static let feed = 24
    /// Standard streams, rejection log, a reload's files, certificates.
    private static let others = 24
    /// The delivery state's database and log, or its two connections; libcurl's resolver and
    /// wake-ups.
    private static let delivery = 12
    /// libcurl's resolver and wake-ups, and two connections for leases.
    private static let inquiry = 8
    /// Epoll, wake-ups, and connections that are accepted only to be refused or are about to
    /// close.
    private static let perLoop = 8
    /// Minimum number of connections for a start.
    private static let connectionsMin = 16
    /// The admin listener and the one for apps each get one in this many of the remaining
    /// descriptors when they are scarce.
    private static let adminShare = 8

    /// Nil if too few descriptors remain.
    init?(_ configuration: Configuration, descriptorsMax: Int) {
        // Each listener has a socket and a spare descriptor on every loop.
        let listeners = configuration.listeners.count + (configuration.outcome == nil ? 1 : 2)
        let sockets = 2 * listeners * configuration.loops
        // Each concurrent request to a destination has a connection, which is kept open.
        let requests = configuration.destinations.reduce(0) { $0 + $1.concurrency }
        let deliveries = requests > 0 ? requests + Self.delivery : 0
        let questions = configuration.endpoints.reduce(0) {
            $0 + ($1.inquiry?.schedule.concurrency ?? 0)
        }
        let inquiries = questions > 0 ? questions + Self.inquiry : 0
        let reserved =
            deliveries + inquiries + Self.journal + Self.index + Self.feed + Self.others + sockets
            + Self.perLoop * (configuration.loops + 2)
        var left = descriptorsMax - reserved
        outcomeConnectionsMax = min(
            configuration.outcome?.connectionsMax ?? 0, max(0, left / Self.adminShare))
        left -= outcomeConnectionsMax
        let wanted = configuration.limits.connectionsMax
        let adminLeft = max(left / Self.adminShare, left - wanted)
        adminConnectionsMax = configuration.admin == nil ? 0 : min(wanted, adminLeft)
        connectionsMax = min(wanted, left - adminConnectionsMax)
        guard connectionsMax >= min(wanted, Self.connectionsMin) else { return nil }
    }

    /// The limits of the server for notifications.
    func limits(_ limits: Limits) -> Limits {
        var limits = limits
        limits.connectionsMax = connectionsMax
        return limits
    }

    /// The limits of the listener for apps, whose requests have no body.
    func outcomeLimits(_ limits: Limits) -> Limits {
        var limits = limits
        limits.connectionsMax = outcomeConnectionsMax
        limits.bodyBytesMax = min(limits.bodyBytesMax, 1024)
        return limits
    }

    /// The limits of the admin listener.
    func adminLimits(_ limits: Limits) -> Limits {
        var limits = limits
        limits.connectionsMax = adminConnectionsMax
        return limits
    }
}
