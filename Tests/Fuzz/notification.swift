import JSON
import Payments

@testable import Providers

// Each provider interprets any authentic body as one notification, always the same. If the body is
// not understood, nothing counts. It never traps, because a retry would deliver the same bytes.

private let settings = EndpointSettings(
    name: "f",
    [
        "secrets": .secrets([Array("s".utf8)]), "hmac": .scheme(HMACScheme(header: "x-signature")),
        "fields": .fields(
            FieldMapping(
                identity: ["/id"], reference: "/reference", transaction: "/payment/id",
                action: "/action",
                status: "/status", amount: "/amount", amountForm: .decimal,
                currency: .pointer("/currency"),
                occurred: "/time",
                statuses: ["success": .paid, "refund": .refunded, "dispute": .disputed])),
    ])

private func check(_ interpret: () -> Notification) {
    let notification = interpret()
    precondition(!notification.id.isEmpty && notification == interpret())
    if notification.flags.contains(.notUnderstood) {
        precondition(notification.effect == .none || notification.effect == .doubt)
    }
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzNotification(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    check { AntomInterpretation.notification(body: bytes) }
    for mode in EndpointSettings.Mode.allCases {
        check { OPPInterpretation.notification(plaintext: bytes, mode: mode) }
    }
    guard let hmac = try? HMACWebhook(settings: settings) else {
        preconditionFailure("the settings can be used")
    }
    check { hmac.interpret(HMACWebhook.Evidence(body: bytes, id: nil)) }
    guard let root = try? JSONDocument(parsing: bytes).root, root.kind == .object,
        let leaves = try? EcommpayLeaves(of: root)
    else { return 0 }
    // No signature verifies, so that every body is tried.
    var work = VerificationWork(receivedBytes: bytes.count)
    var candidates = EcommpayCandidates(leaves)
    do throws(Refusal) {
        while let text = try candidates.next(work: &work) {
            precondition(!text.isEmpty || leaves == EcommpayLeaves())
            let signed = candidates.signed
            check { EcommpayInterpretation(leaves: signed).notification }
        }
    } catch {
        precondition(error.reason == "verification_too_costly")
    }
    return 0
}
