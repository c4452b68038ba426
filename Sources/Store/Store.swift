/// Makes verified notifications durable, once each.
///
/// `JournalStore` keeps them in a journal, `PostgreSQLStore` in a database that several instances
/// share.
package protocol Store: Sendable {
    /// Records a notification, or finds it recorded already. Returns when it is durable or refused.
    func record(_ submission: consuming Submission) async -> Receipt

    /// Records the events of one request: all of them are durable when it returns, or none of the
    /// new ones was recorded and every receipt is `refused`. Known events are duplicates, as in
    /// `record(_:)`. The request is stored once, in the first new record.
    ///
    /// - Parameter events: At least one; they have the same endpoint and request, and their
    ///   `Submission.part`.
    /// - Returns: A receipt for each event, in their order.
    func record(_ events: [Submission]) async -> [Receipt]

    /// Records the merchant's expectation of an order, as `record` does a notification. The same
    /// expectation again is a `duplicate`; another one is a `conflict` with the sequence of the
    /// existing one, and is not recorded.
    func register(_ registration: Registration) async -> Receipt

    /// Records a person's act before it is carried out, or returns the reason why it must not be.
    /// An act is never a duplicate of another.
    func act(_ act: Act) async -> ActReceipt

    /// The durable records, for the readers that wait for them.
    var commitFeed: CommitFeed { get }

    /// The order of an endpoint with the merchant's reference, from durable notifications only; nil
    /// if there is none.
    func order(endpoint: String, reference: String) async throws(ReadFailure) -> OrderView?

    /// The order without a reference that is stored under one of the provider's ids; without one,
    /// the order that holds the id; nil if there is none.
    func order(endpoint: String, unjoined id: String) async throws(ReadFailure) -> OrderView?

    /// The orders that a text leads to: by their reference, by an alias, or by any of the
    /// provider's ids that they hold. Each once, ordered by endpoint and name.
    ///
    /// - Parameter endpoint: Only orders of this endpoint; nil for all.
    func orders(
        knownAs text: String, endpoint: String?
    ) async throws(ReadFailure) -> [OrderView]

    /// Refuses further submissions, makes the accepted ones durable, and releases the directory or
    /// the database connections.
    func close() async
}

extension Store {
    /// The order that a path names: by the merchant's reference; else, after a `~`, by a provider's
    /// id, for orders without a reported reference.
    package func order(_ name: OrderName) async throws(ReadFailure) -> OrderView? {
        let byReference = try await order(endpoint: name.endpoint, reference: name.reference)
        guard byReference == nil, let id = name.providerID else { return byReference }
        return try await order(endpoint: name.endpoint, unjoined: id)
    }
}
