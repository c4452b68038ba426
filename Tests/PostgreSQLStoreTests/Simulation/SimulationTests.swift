import DatabaseSimulation
import Platform
import PostgreSQL
import TestSupport
import Testing

@testable import PostgreSQLStore

/// The store over a simulated database, with every fault.
@Suite struct SimulationTests {
    /// Every small history, each with an order of turns.
    static let cases: [(history: Int, order: FaultyDatabase.Order)] = [
        (0, .stay), (0, .random(seed: 1)), (1, .rotate), (2, .stay), (2, .random(seed: 2)),
        (3, .stay), (3, .random(seed: 3)),
    ]

    /// Plays a history once for each fault at each message. Returns the violations.
    static func playEverywhere(
        _ history: History, _ order: FaultyDatabase.Order,
        faults: [SimulatedFault] = SimulatedFault.allCases, thenFailOver: Bool = false,
        every stride: Int = 1, stopAtFirst: Bool = false,
        wrap: @escaping @Sendable (LinkSource) -> LinkSource = { $0 }
    ) -> (runs: Int, violations: [String]) {
        let whole = SimulatedRun(history, order: order, wrap: wrap)
        var violations = whole.play().map { "no fault: \($0)" }
        var runs = 1
        let count = whole.database.messageCount
        for message in Swift.stride(from: 1, through: count, by: stride) {
            for fault in faults {
                let later = Swift.stride(from: message + 1, through: count + 4, by: 3)
                let seconds: [Int?] = thenFailOver ? Array(later) : [nil]
                for second in seconds {
                    var plan = [message: [fault]]
                    if let second { plan[second] = [.failOverBefore] }
                    let run = SimulatedRun(history, plan: plan, order: order, wrap: wrap)
                    let situation =
                        "\(fault) at \(message)" + (second.map { ", failover at \($0)" } ?? "")
                    violations += run.play().map { "\(order), \(situation): \($0)" }
                    runs += 1
                    if stopAtFirst && !violations.isEmpty { return (runs, violations) }
                }
            }
        }
        return (runs, violations)
    }

    @Test(arguments: cases)
    func `every fault at every message`(history: Int, order: FaultyDatabase.Order) {
        let (runs, violations) = Self.playEverywhere(
            History.small[history], order, every: Effort.stride)
        #expect(violations.isEmpty, "\(violations.count): \(violations.prefix(5))")
        #expect(runs > Effort.share(of: 800))
        print("database simulation, history \(history), \(order): \(runs) runs")
    }

    /// The record of an erasure and the ring without the keys are there together, or neither is.
    @Test(arguments: [(0, .stay), (1, .rotate)] as [(Int, FaultyDatabase.Order)])
    func `every fault at every message, while keys are destroyed`(
        history: Int, order: FaultyDatabase.Order
    ) {
        let (runs, violations) = Self.playEverywhere(
            History.sealed[history], order, every: Effort.stride)
        #expect(violations.isEmpty, "\(violations.count): \(violations.prefix(5))")
        #expect(runs > Effort.share(of: 800))
        print("database simulation with keys, history \(history), \(order): \(runs) runs")
    }

    @Test(arguments: HastyLink.Haste.allCases)
    func `keys that are destroyed on their own are noticed`(_ haste: HastyLink.Haste) {
        let found = Self.playEverywhere(History.sealed[0], .stay, stopAtFirst: true) { source in
            LinkSource(source.settings) { () throws(PostgresError) in
                HastyLink(try source.open(), haste)
            }
        }.violations
        #expect(!found.isEmpty)
    }

    /// The precondition of the cases about a batch that begins during the commit of another.
    @Test func `a batch begins behind the commit of the last one`() {
        for (history, overlaps) in [(0, false), (1, false), (2, true)] {
            let run = SimulatedRun(History.small[history])
            #expect(run.play() == [])
            #expect((run.database.overlapCount > 0) == overlaps, "history \(history)")
        }
    }

    /// Faults that make rows visible that the standby does not have, each with a failover at any
    /// later message.
    @Test func `every fault with a failover behind it`() {
        let faults: [SimulatedFault] = [
            .cancelWaits, .terminateWaits, .pauseLong, .silence, .late, .restartAfter, .isolate,
        ]
        let (runs, violations) = Self.playEverywhere(
            History.small[0], .stay, faults: faults, thenFailOver: true, every: 2 * Effort.stride)
        #expect(violations.isEmpty, "\(violations.count): \(violations.prefix(5))")
        #expect(runs > Effort.share(of: 900))
        print("database simulation, with a later failover: \(runs) runs")
    }

    @Test func `a request that is split over several batches is caught`() {
        let run = SimulatedRun(History.small[3], splitsRequests: true)
        #expect(run.play().contains { $0.contains("would leave a part of the request") })
    }

    /// Longer histories of requests with several events, with several faults at once.
    @Test func `random histories of requests that report several events`() {
        for seed in Effort.share(of: 300..<330 as Range<UInt64>) {
            let run = SimulatedRun(random: seed, sharesRequests: true)
            let violations = run.play()
            #expect(violations.isEmpty, "seed \(seed): \(violations.prefix(5))")
        }
    }

    /// Longer histories with several faults at once.
    @Test(arguments: 1...4)
    func `random histories`(block: UInt64) {
        for seed in Effort.share(of: block * 50..<(block + 1) * 50) {
            let run = SimulatedRun(random: seed)
            let violations = run.play()
            #expect(violations.isEmpty, "seed \(seed): \(violations.prefix(5))")
        }
    }
}

extension SimulatedRun {
    /// A longer history, with faults here and there.
    convenience init(random seed: UInt64, sharesRequests: Bool = false) {
        var generator = SeededGenerator(seed: seed &* 31)
        var plan: [Int: [SimulatedFault]] = [:]
        for _ in 0..<Int.random(in: 1...6, using: &generator) {
            let message = Int.random(in: 1...120, using: &generator)
            plan[message, default: []].append(generator.pick(SimulatedFault.allCases))
        }
        let instances = generator.once(in: 4) ? 3 : 2
        var history = History(seed: seed, instances: instances)
        history.sharesRequests = sharesRequests
        if sharesRequests { history.makeRoundsDisjoint() }
        if generator.once(in: 2) { history.batchMax = Int.random(in: 1...3, using: &generator) }
        self.init(history, plan: plan, order: .random(seed: seed))
    }
}

/// A connection that destroys keys outside of the transaction that says so.
final class HastyLink: DatabaseLink {
    enum Haste: CaseIterable, Sendable {
        /// In a transaction of their own, before.
        case before
        /// Not at all.
        case never
    }

    private let link: any DatabaseLink
    private let haste: Haste

    init(_ link: any DatabaseLink, _ haste: Haste) {
        self.link = link
        self.haste = haste
    }

    var host: String { link.host }
    var isAlive: Bool { link.isAlive }
    var warning: Notice? { link.warning }
    func clearWarning() { link.clearWarning() }
    func close() { link.close() }
    func abandon() { link.abandon() }

    func awaitNotification(until deadline: MonotonicTime) throws(PostgresError) -> Bool {
        try link.awaitNotification(until: deadline)
    }

    func send(_ commands: [Command]) throws(PostgresError) {
        let destruction = commands.filter { $0.sql.hasPrefix("UPDATE sealing SET version") }
        guard !destruction.isEmpty else { return try link.send(commands) }
        let rest = commands.filter { !$0.sql.hasPrefix("UPDATE sealing SET version") }
        let isBegun = commands.first?.name != "begin"
        guard haste == .before, isBegun else { return try link.send(rest) }
        // Ends the transaction of the batch, and begins it again.
        try link.send([Command("ROLLBACK")])
        try link.send(destruction)
        try link.send([Command(Statement(name: "begin", sql: "BEGIN"))] + rest)
        skipped = 2
    }

    private var skipped = 0

    func receive(until deadline: MonotonicTime) throws(PostgresError) -> [PostgresResult] {
        while skipped > 0 {
            skipped -= 1
            _ = try link.receive(until: deadline)
        }
        return try link.receive(until: deadline)
    }
}
