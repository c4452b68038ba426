import ArgumentParser
import Bytes
import Console

/// `ipnd deliveries resend`
struct DeliveriesResendCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resend", abstract: "Deliver recorded events again.",
        discussion: """
            Of one order, of a period, or of a filter; after the shop has lost them, or for a \
            destination that begins later. Each destination gets those that pass its filter, with \
            the same webhook-id as before and with a new set of attempts; those that wait for it \
            already are left out. Shows their number and asks, unless --yes is given.

            Example: ipnd deliveries resend --destination shop --from 2026-11-21T00:00:00Z --dry-run
            """)

    @OptionGroup var server: ServerOptions
    @Option(help: "Only to this destination.") var destination: String?
    @Option(help: "Only those of the order with this reference, alias or id.")
    var reference: String?
    @Option(help: "Only the event with this sequence.") var sequence: UInt64?
    @Option(help: "Only those received at this time or later (RFC 3339).") var from: String?
    @Option(help: "Only those received before this time.") var to: String?
    @Option(help: "Only events of this endpoint.", completion: .endpoints) var endpoint: String?
    @Option(help: "Only events after which the order has this status.") var status: String?
    @OptionGroup var confirmation: Confirmation

    func validate() throws {
        guard !selection.isEmpty else {
            throw ValidationError("give --reference, --from or another filter")
        }
    }

    func run() throws {
        let pairs = selection + Self.pair("destination", destination)
        try DeliveryOperation(
            path: "/deliveries/resend", verb: "deliver again", done: "are delivered again"
        ).run(try AdminConnection(server), pairs, confirmation)
    }

    private var selection: [String] {
        Self.pair("reference", reference) + Self.pair("sequence", sequence.map { "\($0)" })
            + Self.pair("from", from) + Self.pair("to", to) + Self.pair("endpoint", endpoint)
            + Self.pair("status", status)
    }

    private static func pair(_ name: String, _ value: String?) -> [String] {
        value.map { ["\(name)=\(PercentEncoding.encode(Array($0.utf8)))"] } ?? []
    }
}
