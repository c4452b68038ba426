/// Where verified notifications become durable, once each.
///
/// A journal is one way to keep them (`JournalStore`), a database that several instances share
/// another (`PostgreSQLStore`).
package protocol Store: Sendable {
    /// Records a notification, or finds it recorded already. Returns only when it is durable, or
    /// refused.
    func record(_ submission: consuming Submission) async -> Receipt

    /// Records what the merchant expects of an order, as `record` does a notification. The same
    /// again is a `duplicate`; something else is a `conflict`, names the record that stands, and
    /// is not recorded.
    func register(_ registration: Registration) async -> Receipt

    /// Records what a person does, before it is done; or says why it is not to be done. An act is
    /// never a repetition of another.
    func act(_ act: Act) async -> ActReceipt

    /// What has become durable, for those who wait for it.
    var commitFeed: CommitFeed { get }

    /// The order of an endpoint under the merchant's reference, from durable notifications only;
    /// nil when there is none.
    func order(endpoint: String, reference: String) async throws(ReadFailure) -> OrderView?

    /// The order without a reference that is kept under one of the provider's ids; where there is
    /// none, the order that holds the id; nil when nobody has named it.
    func order(endpoint: String, unjoined id: String) async throws(ReadFailure) -> OrderView?

    /// Refuses further submissions, makes the accepted ones durable, and releases the directory or
    /// the database connections.
    func close() async
}

extension Store {
    /// The order that a path names: by the merchant's reference; else, behind a `~`, by an id of
    /// the provider's, for orders of which no notification has told a reference.
    package func order(_ name: OrderName) async throws(ReadFailure) -> OrderView? {
        let byReference = try await order(endpoint: name.endpoint, reference: name.reference)
        guard byReference == nil, let id = name.providerID else { return byReference }
        return try await order(endpoint: name.endpoint, unjoined: id)
    }
}
