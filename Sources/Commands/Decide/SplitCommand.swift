import AdminAPI
import ArgumentParser
import Console
import JSON

/// `ipnd split`
struct SplitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "split", abstract: "Separate events that an id has joined to an order.",
        discussion: """
            The order keeps the events with its own reference. Operations with only an id, or with \
            another reference, become separate orders again, and from now on no id joins events to \
            this order. Clears the flag `shared_id` of this order, not of the other. Shows \
            the order and asks, unless --yes is given. The split is recorded with who, when and \
            why.

            Example: ipnd split ORDER-1 --endpoint \(ExampleName.endpoint) \
            --reason 'not its payment'
            """)

    @Argument(help: "The order's reference.") var reference: String
    @Option(help: "The order's endpoint.", completion: .endpoints) var endpoint: String
    @Option(help: "The reason, which is recorded.") var reason: String
    @OptionGroup var server: ServerOptions
    @Flag(help: "Do not ask.") var yes = false

    func validate() throws {
        if reference.isEmpty { throw ValidationError("the reference is empty") }
        if endpoint.isEmpty { throw ValidationError("the endpoint is empty") }
        if reason.isEmpty { throw ValidationError("--reason is empty") }
    }

    func run() throws {
        let admin = try AdminConnection(server)
        let order: OrderAnswer = try OrderDecision(
            reference: reference, endpoint: endpoint, admin: admin
        ).run(
            "split",
            { $0.member("reason", reason) }, asking: yes ? nil : "Split it? [y/N] ")
        StandardOutput.print(OrderDecision.summary(order)[0])
    }
}
