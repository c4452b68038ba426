import AdminAPI
import ArgumentParser
import Bytes
import Console
import Glibc
import JSON

// `Payments.Flag` would hide ArgumentParser's.
import struct Payments.Currency
import struct Payments.Money

/// A decision about one order: shows the order, asks for confirmation, and sends the decision with
/// the newest record shown, so that the server refuses it if the order has changed since.
struct OrderDecision {
    let reference: String
    let endpoint: String
    let admin: AdminConnection

    private var path: String {
        let parts = [endpoint, reference].map { PercentEncoding.encode(Array($0.utf8)) }
        return "/orders/\(parts.joined(separator: "/"))"
    }

    /// Runs the decision. Throws an exit status after printing the reason.
    ///
    /// - Parameters:
    ///   - word: The last part of the path.
    ///   - members: Members of the body except `last`, as JSON.
    ///   - question: The question for confirmation; nil asks nothing.
    func run<Answer: APIValue>(
        _ word: String, _ members: (inout JSONWriter) -> Void, asking question: String?
    ) throws -> Answer {
        guard let order: OrderAnswer = try admin.get(path) else {
            StandardError.print(
                "ipnd \(word): no order “\(TextTable.printable(reference))” at the endpoint "
                    + "“\(TextTable.printable(endpoint))”")
            throw ExitCode(EXIT_FAILURE)
        }
        if let question {
            StandardOutput.print(Self.summary(order).joined(separator: "\n"))
            try Question.ask(question)
        }
        let body = JSONWriter.object {
            members(&$0)
            $0.member("last", order.last)
        }
        return try admin.post("\(path)/\(word)", body)
    }

    /// The lines shown before the decision.
    static func summary(_ order: OrderAnswer) -> [String] {
        let amounts = [
            ("expected", order.expected?.amount), ("authorized", order.authorized),
            ("captured", order.captured), ("refunded", order.refunded),
        ]
        let sums = amounts.compactMap { name, amount in amount.map { "\(name) \($0)" } }
        let name = [order.endpoint, order.reference ?? ""].map { TextTable.printable($0) }
        return [
            "\(name.joined(separator: "/")) is \(TextTable.printable(order.status))"
                + (sums.isEmpty ? "" : ": " + sums.joined(separator: ", "))
        ] + order.flags.map { "  \($0): \(FlagAdvice.sentences[$0] ?? "see config/orders.md")" }
    }
}

/// An amount on the command line.
enum WrittenSum {
    /// Reads an amount. Throws a `ValidationError` that names the option.
    static func read(_ text: String, _ currency: String?, option: String) throws -> Money {
        guard let code = currency.flatMap({ Currency($0) }) else {
            throw ValidationError("--currency: give three capital letters, such as MYR")
        }
        guard let money = Money(decimal: text, currency: code, allowingTrailingZeros: true),
            money.minor >= 0
        else {
            throw ValidationError("\(option): “\(text)” is not a valid \(code.code) amount")
        }
        return money
    }
}
