import Payments

/// Which order a notification is about.
///
/// | names | order |
/// |---|---|
/// | reference | that order; what was kept under the transaction, if anything, is joined to it |
/// | transaction only, known | the order that holds the transaction |
/// | transaction only, unknown | a new one, kept under the transaction until a reference comes |
extension PendingBatch {
    /// The order that a notification names, found or made.
    mutating func resolve(
        _ notification: Notification, _ hashes: NotificationHashes,
        in tables: borrowing StoreTables
    ) -> OrderPlace {
        let endpoint = hashes.endpoint
        let transaction = notification.transaction ?? ""
        guard let reference = notification.reference, let key = hashes.reference else {
            let key = hashes.transaction ?? keys.transaction(endpoint, transaction)
            return resolve(transaction: transaction, key, endpoint: endpoint, in: tables)
        }
        var place: OrderPlace
        if let found = order(
            key, .named, endpoint: endpoint, in: tables, where: { $0.isNamed(reference) })
        {
            place = OrderPlace(key: key, order: found)
        } else {
            place = OrderPlace(key: key, new: Order(reference: reference), endpoint: endpoint)
        }
        if !transaction.isEmpty, let key = hashes.transaction,
            !place.order.blob.order.holds(transaction)
        {
            join(transaction, key, to: &place, endpoint: endpoint, in: tables)
        }
        return place
    }

    /// The order names a transaction for the first time: what was kept under it becomes part of the
    /// order, and the transaction finds the order from now on.
    private mutating func join(
        _ transaction: String, _ key: KeyHash, to place: inout OrderPlace, endpoint: UInt16,
        in tables: borrowing StoreTables
    ) {
        if var unjoined = unjoined(transaction, key, endpoint: endpoint, in: tables) {
            place.order.blob.merge(unjoined.blob)
            place.isNew = false
            unjoined.isRemoved = true
            place.joined = (key, unjoined)
        }
        // A transaction that another reference holds already stays there: the first stands.
        if order(holding: transaction, key, endpoint: endpoint, in: tables) == nil {
            place.transaction = key
        }
    }

    private mutating func resolve(
        transaction: String, _ key: KeyHash, endpoint: UInt16, in tables: borrowing StoreTables
    ) -> OrderPlace {
        if let (orderKey, order) = order(
            holding: transaction, key, endpoint: endpoint, in: tables)
        {
            return OrderPlace(key: orderKey, order: order)
        }
        if let unjoined = unjoined(transaction, key, endpoint: endpoint, in: tables) {
            return OrderPlace(key: key, order: unjoined)
        }
        return OrderPlace(key: key, new: Order(unjoined: transaction), endpoint: endpoint)
    }

    /// What is kept under a transaction.
    private func unjoined(
        _ transaction: String, _ key: KeyHash, endpoint: UInt16, in tables: borrowing StoreTables
    ) -> StoredOrder? {
        order(key, .unjoined, endpoint: endpoint, in: tables) { $0.holds(transaction) }
    }
}
