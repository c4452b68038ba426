/// Telling a repetition from the same identity with other content.
extension Notification {
    /// The canonical bytes of what must be the same whenever this identity comes again: the effect
    /// with its status, the amount and its currency, the merchant's reference, and the operation's
    /// own id.
    ///
    /// Left out are the times, flags, reasons and transaction: a retry may carry another send time,
    /// and some kinds name their transaction only sometimes. The layout is the effect's number, its
    /// status, (of an unclear refund then the sum that it names,) then 0 or 1 with eight bytes of
    /// minor units and two of currency, then 0 or 1 with the reference, which ends with a zero byte
    /// where an operation's id follows.
    package var contentBytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(14 + (reference?.utf8.count ?? 0))
        appendContent(to: &bytes)
        return bytes
    }

    /// Appends `contentBytes`.
    package func appendContent(to bytes: inout [UInt8]) {
        switch effect {
        case .none: append(0, 0, to: &bytes)
        case .attempt(let status, _): append(1, status.rawValue, to: &bytes)
        case .capture(_, let status, _): append(2, status.rawValue, to: &bytes)
        case .refund(_, let status, _): append(3, status.rawValue, to: &bytes)
        case .dispute(_, let status, _): append(4, status.rawValue, to: &bytes)
        case .reversal(let kind, _, let status, _):
            append(5 + kind.rawValue, status.rawValue, to: &bytes)
        case .unclearRefund(_, let status, let claim):
            append(16, status.rawValue, to: &bytes)
            append(claim.refunded, to: &bytes)
        case .doubt: append(17, 0, to: &bytes)
        }
        append(effect.amount, to: &bytes)
        if let reference {
            bytes.append(1)
            bytes += reference.utf8
        } else {
            bytes.append(0)
        }
        if let id = effect.id {
            bytes.append(0)
            bytes += id.utf8
        }
    }
}

/// Appends 0, or 1 with the amount.
private func append(_ amount: Money?, to bytes: inout [UInt8]) {
    guard let amount else { return bytes.append(0) }
    bytes.append(1)
    append(UInt64(bitPattern: amount.minor), count: 8, to: &bytes)
    append(UInt64(amount.currency.index), count: 2, to: &bytes)
}

private func append(_ number: UInt8, _ status: UInt8, to bytes: inout [UInt8]) {
    bytes.append(number)
    bytes.append(status)
}

/// Appends the `count` lowest bytes of `number`, least first.
private func append(_ number: UInt64, count: Int, to bytes: inout [UInt8]) {
    for index in 0..<count {
        bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(8 * index)))
    }
}
