import Foundation
import PostgreSQLFixture
import TestSupport
import Testing

/// The real program delivers to three destinations while it is killed repeatedly. One destination
/// fails half of the time, one is unreachable for a while.
@Suite(.ownThreads) struct DeliveryRunTests {
    private static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    /// `IPND_DELIVERY_EVENTS` sets a larger number.
    private static let events =
        ProcessInfo.processInfo.environment["IPND_DELIVERY_EVENTS"].flatMap(Int.init) ?? 600
    /// Six events per order, as is typical.
    private static let orders = events / 6

    /// The events received by one destination, read incrementally.
    private final class Received {
        private let output: () -> String
        private var offset = 0
        /// Events in the order received, including repetitions.
        private(set) var taken: [(order: String, sequence: Int)] = []
        private(set) var sequences: Set<Int> = []

        init(_ receiver: HookReceiver) { output = { receiver.output } }
        init(_ receiver: GatedReceiver) { output = { receiver.output } }

        /// Whether all events have been received.
        func has(_ all: Set<Int>) -> Bool { count > 0 && sequences == all }

        var count: Int {
            let bytes = Array(output().utf8.dropFirst(offset))
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

        /// Number of distinct events received. A process killed before it saved its progress
        /// delivers events again, so only distinct events show progress.
        var distinct: Int { count > 0 ? sequences.count : 0 }

        /// The first event that was received before an earlier event of the same order.
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

    @Test func `everything is told in order although ipnd is killed again and again`() throws {
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
        let (receivedWell, receivedFlaky) = (Received(well), Received(flaky))
        var kills = 0
        // Each process runs until it has delivered a few hundred more events.
        while !receivedWell.has(all) {
            let before = receivedWell.distinct
            try instance.start()
            let goes = eventually {
                receivedWell.distinct > before + Self.events / 10 || receivedWell.has(all)
            }
            try #require(goes, "\(instance.logText)")
            instance.stop(SIGKILL)
            kills += 1
        }
        let away = try HookReceiver(["--secret-file", secret], port: port)
        let receivedAway = Received(away)
        while kills < 20, !receivedFlaky.has(all) || !receivedAway.has(all) {
            let before = receivedFlaky.distinct + receivedAway.distinct
            try instance.start()
            let goes = eventually {
                receivedFlaky.distinct + receivedAway.distinct > before + Self.events / 5
                    || receivedFlaky.has(all) && receivedAway.has(all)
            }
            try #require(goes, "\(instance.logText)")
            instance.stop(SIGKILL)
            kills += 1
        }
        // A fast machine delivers everything within one or two runs.
        #expect(kills >= 2)
        try instance.start()
        for told in [receivedWell, receivedFlaky, receivedAway] {
            #expect(eventually(600) { told.has(all) })
            #expect(told.firstOutOfOrder == nil)
        }
        // Everything was delivered before this start, so the process may not serve it yet.
        #expect(
            eventually {
                let metrics = try? instance.admin().get("/metrics").body
                return metrics?.contains(#"ipnd_delivery_dead_letters{destination="flaky"} 0"#)
                    ?? false
            })
        #expect(instance.stop() == 0)
    }

    /// Two instances on one database. The one that delivers to the healthy destination is killed
    /// and restarted repeatedly, each time with deliveries that this destination has not answered.
    @Test(.enabled(if: PostgreSQLServer.isInstalled, "\(PostgreSQLServer.notice)"))
    func `everything is told in order although whoever delivers is killed again and again`() throws
    {
        let folder = TemporaryFolder()
        let secret = try folder.write("secret", Self.secret + "\n")
        let port = try FreePort.take()
        let well = try GatedReceiver()
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
        let (receivedWell, receivedFlaky) = (Received(well), Received(flaky))
        for instance in instances { try instance.start() }
        var kills = 0
        func killHolder(of destination: String) throws {
            // The lease of the last killed instance may not be taken over yet.
            var holder: Instance?
            _ = try eventually {
                holder = try Self.holder(of: destination, among: instances)
                return holder != nil
            }
            let found = try #require(holder, "\(first.logText)\n\(second.logText)")
            found.stop(SIGKILL)
            // The first lease expires by itself after two seconds, to test that; the later ones are
            // expired at once.
            if kills > 0 { try found.database?.expireLeases(of: found) }
            kills += 1
            try found.start()
        }
        for quarter in 1...3 {
            let count = quarter * Self.events / 4
            well.answer(first: count)
            let goes = eventually { receivedWell.distinct == count }
            try #require(goes, "\(first.logText)\n\(second.logText)")
            try killHolder(of: "well")
        }
        well.answer(first: Self.events)
        let away = try HookReceiver(["--secret-file", secret], port: port)
        let receivedAway = Received(away)
        for _ in 0..<3 {
            let before = receivedFlaky.distinct + receivedAway.distinct
            _ = eventually {
                receivedFlaky.distinct + receivedAway.distinct > before + Self.events / 10
                    || receivedFlaky.has(all) && receivedAway.has(all)
            }
            try killHolder(of: "away")
        }
        #expect(kills == 6)
        for told in [receivedWell, receivedFlaky, receivedAway] {
            #expect(eventually(600) { told.has(all) })
            #expect(told.firstOutOfOrder == nil)
        }
        let dead = try first.database?.server.psql(
            "SELECT count(*) FROM ipnd.delivery WHERE is_dead", database: first.database?.name ?? ""
        )
        #expect(dead == "0")
        for instance in instances { #expect(instance.stop() == 0) }
    }

    /// The present or last holder of the lease.
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
                    + "from: beginning, "
                    + "retrySeconds: [\(pauses)]}\n"
            }.joined()
    }
}

/// Answers events up to a number that the test raises. The others wait for an answer, so that their
/// sender can be killed meanwhile. Prints as `HookReceiver` does.
private final class GatedReceiver: Sendable {
    private struct State {
        var count = 0
        var sequences: Set<Int> = []
        var output = ""
    }

    private let condition = NSCondition()
    private let state = Box(State())
    private let server: LocalServer
    let port: UInt16

    init() throws {
        server = try LocalServer { [condition, state] peer in
            while let request = peer.readRequest() {
                guard let start = request.range(of: "\r\n\r\n")?.upperBound,
                    let event = try? JSONSerialization.jsonObject(
                        with: Data(request[start...].utf8)) as? [String: Any],
                    let data = event["data"] as? [String: Any],
                    let order = data["order"] as? [String: Any],
                    let reference = order["reference"] as? String,
                    let sequence = data["sequence"] as? Int
                else { return }
                condition.lock()
                while !Self.take(sequence, reference, state) { condition.wait() }
                condition.unlock()
                guard peer.write(LocalServer.answer()) else { return }
            }
        }
        port = server.port
    }

    deinit { answer(first: .max) }

    var output: String { state.get().output }

    /// Answers events as soon as they arrive, until they are so many different ones.
    func answer(first count: Int) {
        state.update { $0.count = count }
        condition.lock()
        condition.broadcast()
        condition.unlock()
    }

    /// Returns false while the event has to wait.
    private static func take(_ sequence: Int, _ reference: String, _ state: Box<State>) -> Bool {
        var isTaken = false
        state.update { state in
            isTaken = state.sequences.contains(sequence) || state.sequences.count < state.count
            guard isTaken else { return }
            state.sequences.insert(sequence)
            state.output +=
                "{\"status\":200,\"reference\":\"\(reference)\",\"sequence\":\(sequence)}\n"
        }
        return isTaken
    }
}

/// `ipnd receive`, which prints one line of JSON for each request.
final class HookReceiver {
    private let program: BackgroundProgram
    let port: UInt16

    /// The output: `ready ADDRESS`, and a line for each request.
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
    /// A destination that refuses connections.
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
