import AdminAPI
import ArgumentParser
import Console
import Glibc
import Platform
import Store

// `Payments.Flag` would hide ArgumentParser's.
import struct Payments.Money
import enum Payments.OrderStatus

/// `ipnd orders [REFERENCE]`
struct OrdersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "orders", abstract: "List orders, newest first.",
        discussion: """
            Asks the admin API that --config describes, or reads --journal DIR when no server \
            runs. --watch continues and prints every order that changes.

            With a name of an order, a server shows it with attempts, captures, refunds, disputes, \
            what was expected, what to do about its flags, and its last records. Exit status 1: \
            nothing has this name.

            Example: ipnd orders ORDER-1 --config sandbox/ipnd.yaml
            """)

    @Argument(
        help: ArgumentHelp(
            "Show the order with this reference, alias or id of the provider's.",
            discussion: "An id after ~ is never taken for a reference."))
    var reference: String?
    @OptionGroup var reading: ReadingOptions
    @Option(help: "Only orders of this endpoint.", completion: .endpoints) var endpoint: String?
    @Option(
        help: "Only orders with this status (comma-separated list).",
        completion: .list(OrderStatus.allCases.map(\.rawValue)), transform: Self.statuses)
    var status: [OrderStatus]?
    @Option(
        help: "Only orders with this flag (conflict, paid_twice, overdue, …).",
        completion: .list(KnownNames.flags))
    var flag: String?
    @Option(help: "Only orders whose reference or transaction contains this text.") var text:
        String?
    @Option(help: "Maximum number shown.") var limit = 50
    @Flag(help: "Continue with each order that changes, until interrupted.") var watch = false

    func validate() throws {
        guard (1...1_000_000).contains(limit) else {
            throw ValidationError("--limit must be between 1 and 1000000")
        }
        if let flag, !KnownNames.flags.contains(flag) {
            throw ValidationError(
                "--flag: " + KnownNames.complaint("flag", flag, among: KnownNames.flags))
        }
    }

    static func statuses(_ text: String) throws -> [OrderStatus] {
        try text.split(separator: ",").map { word in
            guard let status = OrderStatus(rawValue: String(word)) else {
                let known = OrderStatus.allCases.map(\.rawValue).joined(separator: ", ")
                throw ValidationError("“\(word)” is not a valid status; use one of \(known)")
            }
            return status
        }
    }

    func run() async throws {
        signal(SIGPIPE, SIG_IGN)
        let source = try source()
        var query = OrderQuery()
        query.endpoint = endpoint
        query.reference = reference
        query.statuses = status ?? []
        query.flag = flag
        query.text = text
        var shown: [UInt64: UInt64] = [:]
        var page = OrderPrinter(terminal: reading.display.terminal, isJSON: reading.json)
        do {
            while true {
                let orders = try await source.orders(query, limit: limit)
                if orders.isEmpty, shown.isEmpty { try checkEndpoint() }
                // The sequence of an order's first record never changes.
                let fresh = orders.filter { shown[$0.first] != $0.last }
                for order in fresh { shown[order.first] = order.last }
                if let details = source as? ServerOrders, reference != nil, !watch, !reading.json {
                    guard try show(details: details, of: fresh) else { return }
                } else {
                    guard page.show(fresh, watches: watch) else { return }
                }
                guard watch else { break }
                try await source.waitForChange()
            }
        } catch let code as ExitCode {
            throw code
        } catch {
            throw JournalFailure.exit(error)
        }
        if let reference, shown.isEmpty {
            StandardError.print(
                "ipnd orders: no order has the reference, alias or id "
                    + "“\(TextTable.printable(reference))”; `--text` finds parts of them")
            throw ExitCode(EXIT_FAILURE)
        }
    }

    /// Reports an endpoint that the configuration does not name.
    private func checkEndpoint() throws {
        guard let endpoint, reading.journal == nil,
            let complaint = KnownNames.complaint(
                ofEndpoint: endpoint, inFile: reading.file.config)
        else { return }
        StandardError.print("ipnd orders: --endpoint: \(complaint)")
        throw ExitCode(EX_USAGE)
    }

    private func source() throws -> any OrderSource {
        let clock = SystemClock()
        guard let directory = reading.journal else {
            let admin = try AdminConnection(reading)
            admin.keepsTrying = watch
            return ServerOrders(admin, clock: clock)
        }
        do {
            return try JournalOrders(
                directory: directory, follows: watch, opener: reading.opener(of: directory),
                clock: clock)
        } catch {
            throw JournalFailure.exit(error)
        }
    }

    /// Prints the orders in full, or as one line if the server no longer has them. Returns false
    /// when the reader has closed the pipe.
    private func show(details server: ServerOrders, of orders: [ListedOrder]) throws -> Bool {
        for (index, order) in orders.enumerated() {
            guard var detail = try server.detail(of: order) else {
                var page = OrderPrinter(terminal: reading.display.terminal)
                guard page.show([order], watches: false) else { return false }
                continue
            }
            detail.terminal = reading.display.terminal
            let text = (index == 0 ? [] : [""]) + detail.lines
            guard StandardOutput.write(Array((text.joined(separator: "\n") + "\n").utf8)) else {
                return false
            }
        }
        return true
    }

    /// The amount with its currency; empty if there is none.
    static func money(_ amount: Money?, hidesZero: Bool = false) -> String {
        guard let amount, !(hidesZero && amount.minor == 0) else { return "" }
        return amount.description
    }
}
