import Foundation
import PostgreSQLFixture
import TestSupport
import Testing

/// The real program delivers to three destinations, one of which fails half of the time and one of
/// which is away for a while, and is killed again and again.
@Suite(.ownThreads) struct DeliveryRunTests {
    private static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    /// `IPND_DELIVERY_EVENTS` asks for more.
    private static let events =
        ProcessInfo.processInfo.environment["IPND_DELIVERY_EVENTS"].flatMap(Int.init) ?? 600
    /// Six events each, as orders have.
    private static let orders = events / 6

    /// What one destination has taken, read on from where it was read before.
    private final class Told {
        private let receiver: HookReceiver
        private var offset = 0
        /// In the order in which they were taken, repetitions included.
        private(set) var taken: [(order: String, sequence: Int)] = []
        private(set) var sequences: Set<Int> = []

        init(_ receiver: HookReceiver) { self.receiver = receiver }

        /// Whether all of them were taken by now.
        func has(_ all: Set<Int>) -> Bool { count > 0 && sequences == all }

        var count: Int {
            let bytes = Array(receiver.output.utf8.dropFirst(offset))
            let end = bytes.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
            offset += end
            for line in bytes[..<end].split(separator: UInt8(ascii: "\n")) {
                guard let value = try? JSONSerialization.jsonObject(with: Data(line)),
                    let told = value as? [String: Any], told["status"] as? Int == 200,
                    let order = told["reference"] as? String,
                    let sequence = told["sequence"] as? Int
                else { continue }
                taken.append((order, sequence))
                sequences.insert(sequence)
            }
            return taken.count
        }

        /// How many different events were taken. A life that ends before it has noted what it told
        /// tells it again: only these show that it got on.
        var distinct: Int { count > 0 ? sequences.count : 0 }

        /// The first event that was taken before one of its order that came earlier.
        var firstOutOfOrder: Int? {
            var expected: [String: [Int]] = [:]
            for (order, sequence) in Set(taken.map { Pair($0.order, $0.sequence) }).map(\.parts) {
                expected[order, default: []].append(sequence)
            }
            expected = expected.mapValues { $0.sorted(by: >) }
            for (order, sequence) in taken {
                guard let next = expected[order]?.last else { continue }
                if sequence > next { return sequence }
                if sequence == next { expected[order]?.removeLast() }
            }
            return nil
        }

        private struct Pair: Hashable {
            let order: String
            let sequence: Int
            init(_ order: String, _ sequence: Int) {
                self.order = order
                self.sequence = sequence
            }
            var parts: (order: String, sequence: Int) { (order, sequence) }
        }
    }

    @Test func everythingIsToldInOrderAlthoughIpndIsKilledAgainAndAgain() throws {
        let folder = TemporaryFolder()
        let secret = try folder.write("secret", Self.secret + "\n")
        let port = try FreePort.take()
        let well = try HookReceiver(["--secret-file", secret])
        let flaky = try HookReceiver(["--secret-file", secret, "--fail-rate", "0.5"])
        let instance = try Instance(
            edit: { text in
                text
                    + Self.destinations(
                        [
                            ("well", well.port), ("flaky", flaky.port), ("away", port),
                        ], secret: secret)
            }, starts: false)
        let filled = try run(
            Binary.bench,
            [
                "fill", "--config", instance.configurationFile, "--endpoint", "antom", "--count",
                "\(Self.events)", "--orders", "\(Self.orders)",
            ])
        try #require(filled.status == 0, "\(filled.errors)")
        let all = Set(1...Self.events)
        let (toldWell, toldFlaky) = (Told(well), Told(flaky))
        var kills = 0
        // Each life is as long as it takes to tell a few hundred more.
        while !toldWell.has(all) {
            let before = toldWell.distinct
            try instance.start()
            let goes = eventually {
                toldWell.distinct > before + Self.events / 10 || toldWell.has(all)
            }
            try #require(goes, "\(instance.logText)")
            instance.stop(SIGKILL)
            kills += 1
        }
        let away = try HookReceiver(["--secret-file", secret], port: port)
        let toldAway = Told(away)
        while kills < 20, !toldFlaky.has(all) || !toldAway.has(all) {
            let before = toldFlaky.distinct + toldAway.distinct
            try instance.start()
            let goes = eventually {
                toldFlaky.distinct + toldAway.distinct > before + Self.events / 5
                    || toldFlaky.has(all) && toldAway.has(all)
            }
            try #require(goes, "\(instance.logText)")
            instance.stop(SIGKILL)
            kills += 1
        }
        // A quick machine tells everything in a life or two.
        #expect(kills >= 2)
        try instance.start()
        for told in [toldWell, toldFlaky, toldAway] {
            #expect(eventually(600) { told.has(all) })
            #expect(told.firstOutOfOrder == nil)
        }
        let metrics = try instance.admin().get("/metrics").body
        #expect(metrics.contains(#"ipnd_delivery_dead_letters{destination="flaky"} 0"#))
        #expect(instance.stop() == 0)
    }

    /// Two instances on one database. Whoever delivers to the healthy destination is killed again
    /// and again, and started again a little later.
    @Test(.enabled(if: PostgreSQLServer.isInstalled, "\(PostgreSQLServer.notice)"))
    func everythingIsToldInOrderAlthoughWhoeverDeliversIsKilledAgainAndAgain() throws {
        let folder = TemporaryFolder()
        let secret = try folder.write("secret", Self.secret + "\n")
        let port = try FreePort.take()
        let well = try HookReceiver(["--secret-file", secret])
        let flaky = try HookReceiver(["--secret-file", secret, "--fail-rate", "0.5"])
        let edit = { (text: String) in
            text.replacingOccurrences(
                of: "journal: {directory: journal}",
                with: "database: {connection: {file: secrets/database}, leaseSeconds: 2}")
                + Self.destinations(
                    [("well", well.port), ("flaky", flaky.port), ("away", port)], secret: secret)
        }
        let first = try Instance(on: .database, edit: edit, starts: false)
        let second = try Instance(
            on: .database, shared: first.database, edit: edit, starts: false)
        let instances = [first, second]
        let filled = try run(
            Binary.bench,
            [
                "fill", "--config", first.configurationFile, "--endpoint", "antom", "--count",
                "\(Self.events)", "--orders", "\(Self.orders)",
            ])
        try #require(filled.status == 0, "\(filled.errors)")
        let all = Set(1...Self.events)
        let (toldWell, toldFlaky) = (Told(well), Told(flaky))
        for instance in instances { try instance.start() }
        var kills = 0
        func killHolder(of destination: String) throws {
            // The one that was killed last may not have a successor yet.
            var holder: Instance?
            _ = try eventually {
                holder = try Self.holder(of: destination, among: instances)
                return holder != nil
            }
            let found = try #require(holder, "\(first.logText)\n\(second.logText)")
            found.stop(SIGKILL)
            // Two seconds once, so that it is seen; the next ones take none.
            if kills > 0 { try found.database?.expireLeases(of: found) }
            kills += 1
            try found.start()
        }
        var before = 0
        while !toldWell.has(all) {
            let goes = eventually {
                toldWell.distinct > before + Self.events / 10 || toldWell.has(all)
            }
            try #require(goes, "\(first.logText)\n\(second.logText)")
            before = toldWell.distinct
            try killHolder(of: "well")
        }
        let away = try HookReceiver(["--secret-file", secret], port: port)
        let toldAway = Told(away)
        for _ in 0..<3 {
            let before = toldFlaky.distinct + toldAway.distinct
            _ = eventually {
                toldFlaky.distinct + toldAway.distinct > before + Self.events / 10
                    || toldFlaky.has(all) && toldAway.has(all)
            }
            try killHolder(of: "away")
        }
        #expect(kills >= 4)
        for told in [toldWell, toldFlaky, toldAway] {
            #expect(eventually(600) { told.has(all) })
            #expect(told.firstOutOfOrder == nil)
        }
        let dead = try first.database?.server.psql(
            "SELECT count(*) FROM ipnd.delivery WHERE is_dead", database: first.database?.name ?? ""
        )
        #expect(dead == "0")
        for instance in instances { #expect(instance.stop() == 0) }
    }

    /// Who has the lease, or had it last.
    private static func holder(
        of destination: String, among instances: [Instance]
    ) throws -> Instance? {
        guard let database = instances.first?.database else { return nil }
        let label = try database.server.psql(
            "SELECT label FROM ipnd.lease WHERE name = 'destination \(destination)'",
            database: database.name)
        return instances.first { label.hasSuffix(":\($0.process.processIdentifier)") }
    }

    private static func destinations(
        _ destinations: [(name: String, port: UInt16)], secret: String
    ) -> String {
        let pauses = Array(repeating: "0.05", count: 40).joined(separator: ", ")
        return "\ndestinations:\n"
            + destinations.map { name, port in
                "  - {name: \(name), url: \"http://127.0.0.1:\(port)/\", "
                    + "secrets: [{file: \(secret)}], breakerSeconds: 0.2, "
                    + "retrySeconds: [\(pauses)]}\n"
            }.joined()
    }
}

/// `ipnd receive`, with one line of JSON for each request.
final class HookReceiver {
    private let program: BackgroundProgram
    let port: UInt16

    /// `ready ADDRESS`, and a line for each request.
    var output: String { program.output }

    init(_ arguments: [String], port: UInt16 = 0) throws {
        program = try BackgroundProgram(
            Binary.ipnd, ["receive", "--json", "--listen", "127.0.0.1:\(port)"] + arguments)
        let program = program
        let isReady = eventually { program.output.contains("\n") }
        try #require(isReady, "\(program.output)")
        let digits = program.output.prefix { $0 != "\n" }.split(separator: ":").last ?? ""
        self.port = try #require(UInt16(digits), "\(program.output)")
    }

    func stop() { program.stop() }

    deinit { program.stop() }
}

extension Instance {
    /// A destination where nobody listens.
    static let silentDestination = """

        destinations:
          - {name: silent, url: "http://127.0.0.1:9/", secrets: [{file: "\(silentSecret)"}]}

        """

    private static let silentFolder = TemporaryFolder()
    private static let silentSecret: String = {
        let name = "secret"
        try? silentFolder.write(
            Array("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n".utf8), to: name)
        return silentFolder.file(name)
    }()
}
