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

    /// What has become durable, for those who wait for it.
    var commitFeed: CommitFeed { get }

    /// The order of an endpoint under the merchant's reference, from durable notifications only;
    /// nil when there is none.
    func order(endpoint: String, reference: String) async throws(ReadFailure) -> OrderView?

    /// Takes nothing more, makes durable what was taken, and lets go of the directory.
    func close() async
}
