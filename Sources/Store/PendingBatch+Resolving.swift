import Payments

/// Which order a notification is about.
///
/// An order is everything that its references and provider ids hold together. A notification says
/// of those that it names that they belong to one order:
///
/// | it names | order |
/// |---|---|
/// | a reference | the one that is known under it, if any |
/// | the id of a transaction | each that holds the id, whatever id of it that is |
/// | an id of its own | each in which something refers to the id; without the two above, each that holds it |
/// | an alias | none: it only leads to the order from now on |
///
/// Where these are several, they are one order from now on. Where they are none, a new one begins,
/// kept under its reference, or else under the least of its ids until a reference comes. Two
/// operations of the same id are no reason to make one order of two: some systems count their
/// refunds from 1 for each payment.
extension PendingBatch {
    /// The orders that a notification names, as one.
    func resolve(
        _ notification: Notification, _ hashes: NotificationHashes,
        in tables: borrowing StoreTables
    ) -> OrderPlace {
        let endpoint = hashes.endpoint
        var found: [(key: KeyHash, order: StoredOrder)] = []
        if let reference = notification.reference, let key = hashes.reference,
            let known = order(known: reference, key, endpoint: endpoint, in: tables)
        {
            found.append(known)
        }
        if let transaction = notification.transaction, let key = hashes.transaction {
            collect(&found, by: key, endpoint, in: tables) { $0.holds(transaction) }
        }
        if let id = notification.effect.id, !id.isEmpty {
            let key = keys.transaction(endpoint, id)
            let isOnlyName = notification.reference == nil && notification.transaction == nil
            collect(&found, by: key, endpoint, in: tables) {
                isOnlyName ? $0.holds(id) : $0.names(id)
            }
        }
        return OrderPlace(found, endpoint: endpoint)
    }

    /// The order that is known under a reference that is no mere alias.
    private func order(
        known reference: String, _ key: KeyHash, endpoint: UInt16,
        in tables: borrowing StoreTables
    ) -> (key: KeyHash, order: StoredOrder)? {
        if let order = order(
            key, .named, endpoint: endpoint, in: tables, where: { $0.isNamed(reference) })
        {
            return (key, order)
        }
        var found: [(key: KeyHash, order: StoredOrder)] = []
        collect(&found, by: key, endpoint, in: tables) { $0.isKnown(as: reference) }
        return found.first
    }
}
