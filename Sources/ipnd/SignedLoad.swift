import ArgumentParser
import Bytes
import Configuration
import Payments
import Platform
import Providers

/// Signed notifications for measurements, all of one endpoint: each of a different order, or spread
/// over a few.
struct SignedLoad: Sendable {
    let endpoint: EndpointConfiguration
    private let sender: any Sender
    private let prefix: String
    private let spread: SpreadOptions
    private let money: Money
    private let occurred: Timestamp

    init(
        _ configuration: Configuration, endpoint name: String, prefix: String,
        spread: SpreadOptions
    ) throws {
        guard let endpoint = configuration.endpoint(named: name),
            let descriptor = ProviderRegistry.all[endpoint.system], let currency = Currency("MYR")
        else { throw ValidationError("no endpoint is named \(name)") }
        self.endpoint = endpoint
        self.prefix = prefix
        self.spread = spread
        sender = try descriptor.makeSender(
            SandboxKeys.senderSettings(for: endpoint, folder: configuration.folder))
        money = Money(minor: 4200, currency: currency)
        occurred = Timestamp(microseconds: WallClock.microseconds() / 1_000_000 * 1_000_000)
    }

    /// The event of this number, with the headers of HTTP around what the sender signs.
    func delivery(_ number: Int) throws -> OutboundDelivery {
        let order = spread.orders.map { number % $0 } ?? number
        let event = SampleEvent(
            type: spread.refunds ? .refunded : .paid, reference: "\(prefix)-\(order)",
            transaction: spread.orders == nil || spread.refunds ? nil : "\(prefix)-T\(number)",
            actionID: spread.refunds ? "\(prefix)-F\(number)" : nil, money: money,
            occurred: occurred)
        let signed = try sender.sign(event, path: endpoint.publicPath)
        let headers =
            [Header("Host", "localhost")]
            + signed.headers
            + [Header("Content-Length", "\(signed.body.count)")]
        return OutboundDelivery(
            method: signed.method, target: signed.target, headers: headers, body: signed.body)
    }
}
