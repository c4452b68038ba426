import Foundation
import TestSupport
import Testing

/// An ipnd and an `ipnd simulate` that acts as its nine providers, at addresses that survive a
/// restart.
final class World {
    let instance: Instance
    let simulatorPort: UInt16
    private let simulator: BackgroundProgram

    /// The providers that report every outcome and answer about everything.
    static let endpoints = ["antom", "citcon", "citcon-pay", "ecommpay", "opp"]
    /// All that play: WeChat Pay, Alipay, Braintree and Stripe, too, which do not report every
    /// outcome, and answer about payments.
    static let players = endpoints + ["wechatpay", "alipay", "braintree", "stripe"]

    /// - Parameters:
    ///   - inquiry: Further settings of each endpoint's `inquiry`; nil: ipnd has no `inquiry:`, but
    ///     the simulator does.
    ///   - edit: Changes the configuration of both.
    init(
        inquiry: String? = "schedule: [], secondsPerQuestion: 0.001", _ arguments: [String],
        edit: @escaping (_ text: String, _ simulator: String) -> String = { text, _ in text }
    ) throws {
        let (port, adminPort) = (try FreePort.take(), try FreePort.take())
        simulatorPort = try FreePort.take()
        let address = "127.0.0.1:\(simulatorPort)"
        instance = try Instance(
            edit: { text in
                edit(text, address).replacingOccurrences(
                    of: "- address: \"127.0.0.1:0\"", with: "- address: 127.0.0.1:\(port)"
                )
                .replacingOccurrences(
                    of: "admin: {address: \"127.0.0.1:0\"",
                    with: "admin: {address: 127.0.0.1:\(adminPort)"
                )
                .replacingOccurrences(
                    of: "inquiry: {", with: "inquiry: {" + (inquiry.map { $0 + ", " } ?? ""))
            }, simulator: address, starts: false)
        let whole = try String(contentsOfFile: instance.configurationFile, encoding: .utf8)
        let simulated = "\(instance.folder)/simulate.yaml"
        try whole.write(toFile: simulated, atomically: true, encoding: .utf8)
        if inquiry == nil {
            try whole.split(separator: "\n", omittingEmptySubsequences: false)
                .filter { !$0.hasPrefix("    inquiry: ") }.joined(separator: "\n")
                .write(toFile: instance.configurationFile, atomically: true, encoding: .utf8)
        }
        try instance.start()
        let program = try BackgroundProgram(
            Binary.ipnd, ["simulate", "--config", simulated, "--listen", address] + arguments)
        simulator = program
        try #require(
            eventually { program.output.contains("ready \(address)\n") }, "\(program.output)")
    }

    deinit { simulator.kill() }

    /// The simulator's counters.
    func counts() throws -> [String: Any] {
        try get("/simulate").object()
    }

    private func get(_ target: String) throws -> HTTPAnswer {
        let client = try Client(port: simulatorPort)
        try client.send("GET \(target) HTTP/1.1\r\nHost: localhost\r\n\r\n")
        return try client.receive()
    }

    /// Whether everything is delivered, and the number of orders so far.
    func progress() throws -> (isOver: Bool, begun: Int) {
        let counts = try counts()
        return (counts["over"] as? Bool ?? false, counts["begun"] as? Int ?? 0)
    }

    /// Kills ipnd and starts it again.
    func crash() throws {
        instance.stop(SIGKILL)
        try instance.start()
    }

    /// The orders in the providers' books.
    func truths() throws -> [WorldTruth] {
        try get("/simulate/payments").body.split(separator: "\n").map {
            try JSONDecoder().decode(WorldTruth.self, from: Data($0.utf8))
        }
    }
}

/// An order in a provider's books.
struct WorldTruth: Decodable, Sendable {
    struct Attempt: Decodable, Equatable, Sendable {
        let transaction: String
        let status: String
    }

    let endpoint: String
    let reference: String
    let status: String
    let authorized: Int
    let captured: Int
    let refunded: Int
    let attempts: [Attempt]

    /// The difference between ipnd's order and the books; nil if there is none.
    func complaint(about order: [String: Any], ofSumsOnly: Bool = false) -> String? {
        func minor(_ name: String) -> Int { (order[name] as? [String: Any])?["minor"] as? Int ?? 0 }
        let attempts = (order["attempts"] as? [[String: Any]] ?? []).compactMap { attempt in
            (attempt["transaction"] as? String).map {
                Attempt(transaction: Self.bare($0), status: attempt["status"] as? String ?? "")
            }
        }
        var complaints: [String] = []
        func compare(_ what: String, _ have: String, _ want: String) {
            if have != want { complaints.append("\(what) \(have), not \(want)") }
        }
        compare("status", order["status"] as? String ?? "", status)
        compare("captured", "\(minor("captured"))", "\(captured)")
        compare("refunded", "\(minor("refunded"))", "\(refunded)")
        if !ofSumsOnly {
            compare("authorized", "\(minor("authorized"))", "\(authorized)")
            complaints += self.complaints(about: attempts)
        }
        return complaints.isEmpty
            ? nil : "\(endpoint)/\(reference): \(complaints.joined(separator: "; "))"
    }

    /// The id in the books, to which some providers' samples add the usual beginning.
    private static func bare(_ transaction: String) -> String {
        let prefix = ["pi_", "PM", "tr_"].first { transaction.hasPrefix($0) } ?? ""
        return String(transaction.dropFirst(prefix.count))
    }

    private func complaints(about attempts: [Attempt]) -> [String] {
        // An ecommpay capture does not name its payment and leaves the named one unchanged.
        let isLoose = attempts.contains { $0.transaction.isEmpty }
        let named = attempts.filter { !$0.transaction.isEmpty }
        guard named.map(\.transaction).sorted() == self.attempts.map(\.transaction).sorted() else {
            return ["attempts \(named), not \(self.attempts)"]
        }
        return named.compactMap { attempt in
            let told = self.attempts.first { $0.transaction == attempt.transaction }?.status
            let isTaken = isLoose && attempt.status == "authorized" && told == "paid"
            if attempt.status == told || isTaken { return nil }
            return "attempt \(attempt), not \(told ?? "none")"
        }
    }
}
