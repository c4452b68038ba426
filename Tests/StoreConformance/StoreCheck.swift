import Payments
import Records
import Store

/// One promise of every store, as a check that runs on any of them.
///
/// A store's tests run all of them: `try await check.run { … }`, with a closure that opens a
/// separate store for this check, and the same one again after it was closed.
package struct StoreCheck: Sendable, CustomStringConvertible {
    /// Opens the store; after `close` again, with its content.
    package typealias Opener = @Sendable () async throws -> any Store

    /// The promise.
    package let description: String
    private let body: @Sendable (Opener) async throws -> Void

    init(_ description: String, _ body: @escaping @Sendable (Opener) async throws -> Void) {
        self.description = description
        self.body = body
    }

    /// A check of one store that is opened once.
    init(on description: String, _ body: @escaping @Sendable (any Store) async throws -> Void) {
        self.init(description) { open in
            let store = try await open()
            do { try await body(store) } catch {
                await store.close()
                throw error
            }
            await store.close()
        }
    }

    /// Throws `Broken` if the promise is not kept.
    package func run(_ open: Opener) async throws { try await body(open) }

    package static let all =
        identity + orders + joining + requests + inquiries + registrations + acts + feed + life

    /// A promise that was not kept.
    package struct Broken: Error, CustomStringConvertible {
        package let description: String
    }
}

/// Throws unless both are equal.
func expect<Value: Equatable & Sendable>(
    _ value: Value, is expected: Value, _ what: String
) throws(StoreCheck.Broken) {
    guard value != expected else { return }
    throw StoreCheck.Broken(description: "\(what): \(value), expected \(expected)")
}

/// The submissions of the checks.
enum Sample {
    static func money(_ minor: Int64) -> Money { Money(minor: minor, currency: Currency("MYR")!) }

    static func payment(
        _ id: String, reference: String? = "REQ-1", transaction: String? = "PAY-1",
        _ status: AttemptStatus = .paid, minor: Int64 = 4200
    ) -> Notification {
        Notification(
            id: id, kind: "payment", status: status.name, reference: reference,
            transaction: transaction, effect: .attempt(status, money(minor)))
    }

    static func refund(
        _ id: String, refund: String = "REF-1", transaction: String? = "PAY-1", minor: Int64 = 1000
    ) -> Notification {
        Notification(
            id: id, kind: "refund", status: "succeeded", transaction: transaction,
            effect: .refund(id: refund, .succeeded, money(minor)))
    }

    static func submission(_ notification: Notification, endpoint: String = "e") -> Submission {
        Submission(
            endpoint: endpoint, provider: "p", key: "1", notification: notification,
            request: RecordedRequest(
                method: "POST", target: Array("/ipn".utf8)[...], headers: [],
                body: Array(#"{"id":"\#(notification.id)"}"#.utf8)),
            peer: "", received: Timestamp(microseconds: 1_795_244_400_123_456))
    }

    static func registration(
        _ reference: String, minor: Int64 = 4200, tryOf order: String? = nil, metadata: String = ""
    ) -> Registration {
        Registration(
            endpoint: "e", provider: "p", reference: reference,
            expectation: Expectation(amount: money(minor), expires: nil),
            order: order, metadata: Array(metadata.utf8), peer: "",
            received: Timestamp(microseconds: 1_795_244_400_123_456))
    }
}

extension Store {
    /// The outcome of a notification.
    func outcome(
        _ notification: Notification, endpoint: String = "e"
    ) async -> Receipt.Outcome {
        await record(Sample.submission(notification, endpoint: endpoint)).outcome
    }
}
