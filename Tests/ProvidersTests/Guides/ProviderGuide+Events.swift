import Payments
import ProviderFixtures

@testable import Providers

extension ProviderGuide {
    /// An event with what happened to the payment before it.
    private struct Step {
        let title: String
        let before: [EventType]
        let event: EventType

        init(_ title: String, _ event: EventType, after before: EventType...) {
            self.title = title
            self.before = before
            self.event = event
        }
    }

    private static let steps = [
        Step("a payment begins", .pending),
        Step("a sum is authorised", .authorized),
        Step("a payment succeeds", .paid),
        Step("a try fails; another may follow", .tryFailed),
        Step("a payment fails", .failed),
        Step("an authorised payment is canceled", .canceled, after: .authorized),
        Step("a payment is canceled", .canceled),
        Step("a payment expires", .expired),
        Step("an authorised sum is captured", .captured, after: .authorized),
        Step("a capture fails", .captureFailed, after: .authorized),
        Step("a refund begins", .refundPending, after: .paid),
        Step("a refund succeeds", .refunded, after: .paid),
        Step("a refund fails", .refundFailed, after: .paid),
        Step("a dispute opens", .disputed, after: .paid),
        Step("a dispute is closed", .disputeClosed, after: .paid, .disputed),
        Step("a dispute is won", .disputeWon, after: .paid, .disputed),
        Step("a dispute is lost", .chargedBack, after: .paid, .disputed),
        Step("a payment is undone", .reversed, after: .paid),
    ]

    /// What the library reads of each event that the provider has, and the order after it, as they
    /// are when this runs.
    static func events(_ fixture: ProviderFixture) throws -> [String] {
        var rows: [String] = []
        for step in steps {
            guard let (order, last, condition) = try play(step, fixture) else { continue }
            let (summary, flags) = (order.summary, order.summary.flags.map(\.rawValue))
            // Never comes without the payment that it names.
            if summary.flags.contains(.unjoined) { continue }
            var sums = ["captured \(summary.captured?.description ?? "unknown")"]
            if summary.refunded?.minor != 0 {
                sums.append("refunded \(summary.refunded?.description ?? "unknown")")
            }
            if !flags.isEmpty { sums.append("flags \(flags.joined(separator: ", "))") }
            rows.append(
                "| \(step.title)\(condition) | `\(last.kind)` | `\(last.status)` | "
                    + "`\(summary.status.rawValue)` | \(sums.joined(separator: "; ")) |")
        }
        return [
            "## What its events mean", "",
            "Each event as `interpret(_:)` returns it, here of a payment of 42.00 MYR, and the "
                + "`Order` that it was applied to:", "",
            "| what happens | `kind` | `status` | `order.status` | sums |", "|---|---|---|---|---|",
        ] + rows + [""]
    }

    /// The order after a step, the step's own notification, and the setting that it needs; nil if
    /// the provider does not report it.
    private static func play(
        _ step: Step, _ fixture: ProviderFixture
    ) throws -> (Order, Notification, condition: String)? {
        let settings = fixture.endpoint.settings
        if let (order, last) = try play(step, fixture.descriptor, settings) {
            return (order, last, "")
        }
        guard fixture.descriptor.keys().contains("capture") else { return nil }
        var manual = settings
        manual["capture"] = "manual"
        guard let (order, last) = try play(step, fixture.descriptor, manual) else { return nil }
        return (order, last, ", with `capture: manual`")
    }

    private static func play(
        _ step: Step, _ descriptor: ProviderDescriptor, _ settings: EndpointSettings
    ) throws -> (Order, Notification)? {
        let sender = try descriptor.makeSender(settings)
        let provider = try descriptor.make(settings)
        var life = SampleLife(reference: "REQ-1")
        var order = Order()
        for (index, type) in (step.before + [step.event]).enumerated() {
            let isDispute = type == .disputeWon || type == .disputeClosed || type == .chargedBack
            // The events of one dispute have one id.
            let number = isDispute ? index : index + 1
            let event = life.following(.sample(type, number: number))
            life.append(event)
            guard let outbound = try? sender.sign(event, path: "/ipn") else { return nil }
            let last = try provider.receive(outbound.delivery)
            order.apply(last)
            if index == step.before.count { return (order, last) }
        }
        return nil
    }
}
