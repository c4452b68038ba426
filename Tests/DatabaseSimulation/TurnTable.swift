import TestSupport

/// The turns of threads of which one runs at a time: a value without threads or clocks.
struct TurnTable {
    enum Wait {
        /// It can continue.
        case ready
        /// It waits for a change in the cluster.
        case news
        /// It waits until this many messages were sent.
        case messages(Int)
        case sleeping
        case done
    }

    private struct Client {
        var wait = Wait.ready
        var deadline: UInt64 = .max
        var newsSeen = 0
        var isWoken = false
    }

    private(set) var now: UInt64 = 1_000_000_000_000
    private(set) var messageCount = 0
    private var newsCount = 0
    private var clients: [Client]
    private(set) var current = 0
    private let order: FaultyDatabase.Order
    private var generator: SeededGenerator

    init(clients: Int, order: FaultyDatabase.Order) {
        self.clients = Array(repeating: Client(), count: clients)
        self.order = order
        if case .random(let seed) = order {
            generator = SeededGenerator(seed: seed)
        } else {
            generator = SeededGenerator(seed: 0)
        }
    }

    mutating func countMessage() { messageCount += 1 }
    mutating func noteNews() { newsCount += 1 }
    mutating func wake(_ client: Int) { clients[client].isWoken = true }
    mutating func advance(to time: UInt64) { now = max(now, time) }

    mutating func set(_ client: Int, _ wait: Wait, until deadline: UInt64) {
        clients[client].wait = wait
        clients[client].deadline = deadline
        clients[client].newsSeen = newsCount
    }

    /// Begins with all clients; returns the first.
    mutating func first(_ count: Int) -> Int {
        for client in 0..<count { clients[client] = Client() }
        return next() ?? 0
    }

    /// The next client; nil if none can continue.
    mutating func next() -> Int? {
        let count = clients.count
        let ready = (1...count).map { (current + $0) % count }.filter(isReady)
        guard !ready.isEmpty else { return nil }
        switch order {
        case .stay: current = ready.contains(current) ? current : ready[0]
        case .rotate: current = ready[0]
        case .random: current = generator.pick(ready)
        }
        clients[current].isWoken = false
        return current
    }

    /// The earliest time at which a client can continue; nil when all have ended.
    var nextDeadline: UInt64? {
        clients.compactMap { client in
            if case .done = client.wait { return nil }
            return client.deadline
        }.min()
    }

    private func isReady(_ number: Int) -> Bool {
        let client = clients[number]
        switch client.wait {
        case .done: return false
        case .ready: return true
        case .news: return newsCount != client.newsSeen || now >= client.deadline
        case .messages(let count): return messageCount >= count || now >= client.deadline
        case .sleeping: return client.isWoken || now >= client.deadline
        }
    }
}
