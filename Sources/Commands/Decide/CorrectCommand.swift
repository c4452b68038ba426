import AdminAPI
import ArgumentParser
import Console
import JSON

/// `ipnd correct`
struct CorrectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "correct", abstract: "Correct the registered expectation of an order.",
        discussion: """
            Possible until money has moved. Shows the order and asks, unless --yes is given. Both \
            expectations stay in the records, with who, when and why.

            Example: ipnd correct ORDER-1 --endpoint \(ExampleName.endpoint) --amount 89.00 \
            --currency MYR --reason 'a voucher'
            """)

    @Argument(help: "The order's reference.") var reference: String
    @Option(help: "The order's endpoint.", completion: .endpoints) var endpoint: String
    @Option(help: "What is expected, in units of the currency.") var amount: String
    @Option(help: "The currency (ISO 4217).") var currency: String
    @Option(help: "When you stop waiting, such as 2026-11-21T08:00:00Z; left out: never.")
    var expires: String?
    @Option(help: "The reason, which is recorded.") var reason: String
    @OptionGroup var server: ServerOptions
    @Flag(help: "Do not ask.") var yes = false

    func validate() throws {
        if reference.isEmpty { throw ValidationError("the reference is empty") }
        if endpoint.isEmpty { throw ValidationError("the endpoint is empty") }
        if reason.isEmpty { throw ValidationError("--reason is empty") }
        _ = try WrittenSum.read(amount, currency, option: "--amount")
    }

    func run() throws {
        let admin = try AdminConnection(server)
        let sum = try WrittenSum.read(amount, currency, option: "--amount")
        let order: OrderAnswer = try OrderDecision(
            reference: reference, endpoint: endpoint, admin: admin
        ).run(
            "correct",
            { json in
                json.member("amount", sum)
                json.member("expires", ifPresent: expires)
                json.member("reason", reason)
            }, asking: yes ? nil : "Expect \(sum) from now on? [y/N] ")
        StandardOutput.print(OrderDecision.summary(order)[0])
    }
}
