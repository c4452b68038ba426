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

    /// Refuses further submissions, makes the accepted ones durable, and releases the directory or
    /// the database connections.
    func close() async
}
