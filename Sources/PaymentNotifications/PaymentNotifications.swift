/// Verifies payment notifications and says what they mean for an order, in your own server.
///
/// A provider is made from its settings. It proves that a request is genuine, reads what it
/// reports, and answers in the form that makes the provider stop retrying:
///
/// ```swift
/// let antom = try Antom(settings: .init(clientID: "…", keys: [.init(version: 1, text: pem)]))
/// let request = SignedRequest(
///     method: "POST", path: "/ipn/antom", headers: headers, body: body,
///     received: Timestamp(secondsSince1970: Date().timeIntervalSince1970))
/// let verified = try antom.verify(request)
/// let notification = antom.interpret(verified.evidence)
/// order.apply(notification)
/// let answer = antom.answer(.accepted)
/// ```
///
/// An ``Order`` takes notifications in any order and any number of times: its status and sums do
/// not depend on either. Store it by ``Order/encoded()`` together with the ids of the notifications
/// that it has, before you answer.
///
/// This module has no code. It exports the modules that ipnd itself uses; what is `public` there is
/// listed in PublicSymbols.md. They have no thread, no clock, no file and no socket, and do not
/// import Foundation. OpenSSL 3 verifies signatures.
@_exported import Payments
@_exported import Providers

/// Another name of `Notification`, for files that import Foundation, which has a type of that
/// name, too.
public typealias PaymentNotification = Payments.Notification
