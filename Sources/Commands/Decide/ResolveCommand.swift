import AdminAPI
import ArgumentParser
import Console
import JSON

import enum Payments.OrderStatus

/// `ipnd resolve`
struct ResolveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resolve", abstract: "Decide the status of an order in `review`.",
        discussion: """
            Without --status it accepts the order as shown, and the least of several claims. Shows \
            the order and asks, unless --yes is given. The decision is recorded with who, when \
            and why. It applies to what was reported so far: further events put the order into \
            `review` again.

            Example: ipnd resolve ORDER-1 --endpoint \(ExampleName.endpoint) \
            --reason 'the customer was called'
            """)

    @Argument(help: "The order's reference.") var reference: String
    @Option(help: "The order's endpoint.", completion: .endpoints) var endpoint: String
    @Option(help: "The reason, which is recorded.") var reason: String
    @Option(
        help: "The order's actual status.",
        completion: .list(Self.statuses), transform: Self.status)
    var status: String?
    @Option(help: "What was taken, in units of the currency.") var captured: String?
    @Option(help: "What was given back, in units of the currency.") var refunded: String?
    @Option(help: "The currency of both (ISO 4217).") var currency: String?
    @OptionGroup var server: ServerOptions
    @Flag(help: "Do not ask.") var yes = false

    private static let statuses = OrderStatus.allCases.filter { $0 != .review }.map(\.rawValue)

    private static func status(_ text: String) throws -> String {
        guard statuses.contains(text) else {
            throw ValidationError(
                "“\(text)” is not a valid status; use one of \(statuses.joined(separator: ", "))")
        }
        return text
    }

    func validate() throws {
        if reference.isEmpty { throw ValidationError("the reference is empty") }
        if endpoint.isEmpty { throw ValidationError("the endpoint is empty") }
        if reason.isEmpty { throw ValidationError("--reason is empty") }
        if status == nil, captured != nil || refunded != nil {
            throw ValidationError("--captured and --refunded need --status")
        }
        _ = try sums()
    }

    private func sums() throws -> [(String, String)] {
        try [("captured", captured), ("refunded", refunded)].compactMap { name, text in
            try text.map { (name, "\(try WrittenSum.read($0, currency, option: "--\(name)"))") }
        }
    }

    func run() throws {
        let admin = try AdminConnection(server)
        let amounts = try sums().map { "\($0.0) \($0.1)" }
        let question =
            status.map { "Resolve as \(([$0] + amounts).joined(separator: ", "))? [y/N] " }
            ?? "Accept what it shows? [y/N] "
        let captured = try captured.map { try WrittenSum.read($0, currency, option: "--captured") }
        let refunded = try refunded.map { try WrittenSum.read($0, currency, option: "--refunded") }
        let order: OrderAnswer = try OrderDecision(
            reference: reference, endpoint: endpoint, admin: admin
        ).run(
            "resolve",
            { json in
                json.member("reason", reason)
                json.member("status", ifPresent: status)
                json.member("captured", ifPresent: captured)
                json.member("refunded", ifPresent: refunded)
            }, asking: yes ? nil : question)
        StandardOutput.print(OrderDecision.summary(order)[0])
    }
}
