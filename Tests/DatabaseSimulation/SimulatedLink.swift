import Platform
import PostgreSQL

/// The network between clients and a simulated cluster.
protocol SimulatedNetwork: AnyObject, Sendable {
    func connect(
        _ client: Int, lockNanosecondsMax: UInt64
    ) throws(PostgresError) -> Int
    /// Sends a message: the commands of one `send`.
    func send(_ client: Int, _ id: Int, _ commands: [Command])
    /// The answer to the oldest unanswered message; nil if the deadline passes first.
    func receive(
        _ client: Int, _ id: Int, until deadline: MonotonicTime
    ) -> SimulatedSession.Reply?
    func awaitNotification(_ client: Int, _ id: Int, until deadline: MonotonicTime) -> Bool
    /// Closes the client's end.
    func abandon(_ id: Int)
    func isOpen(_ id: Int) -> Bool
}

extension SimulatedNetwork {
    /// The connections of one client, an instance or a reader.
    func source(_ client: Int, _ settings: SessionSettings) -> LinkSource {
        LinkSource(settings) { [self] () throws(PostgresError) in
            let seconds = UInt64(settings.lockSecondsMax)
            let id = try connect(client, lockNanosecondsMax: seconds * 1_000_000_000)
            return SimulatedLink(self, client: client, id)
        }
    }
}

/// A connection to a simulated cluster.
final class SimulatedLink: DatabaseLink {
    let host = "simulated"
    private let network: any SimulatedNetwork
    private let client: Int
    private let id: Int
    private var isOpen = true
    private(set) var warning: Notice?

    init(_ network: any SimulatedNetwork, client: Int, _ id: Int) {
        self.network = network
        self.client = client
        self.id = id
    }

    deinit { abandon() }

    var isAlive: Bool { isOpen && network.isOpen(id) }

    func clearWarning() { warning = nil }

    func send(_ commands: [Command]) throws(PostgresError) {
        guard isOpen else { throw .lost("it was closed") }
        network.send(client, id, commands)
    }

    func receive(until deadline: MonotonicTime) throws(PostgresError) -> [PostgresResult] {
        guard isOpen else { throw .lost("it was closed") }
        guard let reply = network.receive(client, id, until: deadline) else {
            abandon()
            throw .deadline("the socket was closed")
        }
        warning = warning ?? reply.warning
        switch reply.results {
        case .success(let rows): return rows.map(\.result)
        case .failure(let error):
            if !error.leavesConnectionOpen { abandon() }
            throw error
        }
    }

    func awaitNotification(until deadline: MonotonicTime) throws(PostgresError) -> Bool {
        guard isAlive else { throw .lost("it was closed") }
        return network.awaitNotification(client, id, until: deadline)
    }

    func close() { abandon() }

    func abandon() {
        if isOpen { network.abandon(id) }
        isOpen = false
    }
}
