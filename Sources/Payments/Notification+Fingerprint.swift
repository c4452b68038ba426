/// Telling a repetition from the same identity with other content (DESIGN, "Orders").
extension Notification {
    /// The canonical bytes of what must be the same whenever this identity comes again: the effect
    /// with its status, the amount and its currency, and the merchant's reference.
    ///
    /// Left out are the times, flags and transaction: a retry may carry another send time, and some
    /// kinds name their transaction only sometimes. The layout is the effect's number, its status,
    /// then 0 or 1 with eight bytes of minor units and two of currency, then 0 or 1 with the
    /// reference.
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
        }
        if let amount = effect.amount {
            bytes.append(1)
            append(UInt64(bitPattern: amount.minor), count: 8, to: &bytes)
            append(UInt64(amount.currency.index), count: 2, to: &bytes)
        } else {
            bytes.append(0)
        }
        if let reference {
            bytes.append(1)
            bytes += reference.utf8
        } else {
            bytes.append(0)
        }
    }

    /// Sixty-four bits over `contentBytes` (FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/).
    ///
    /// It guards against a provider's mistake, not against forgery: only what is proven genuine
    /// gets here. Where two notifications must be told apart beyond doubt, compare `contentBytes`.
    package var contentFingerprint: UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in contentBytes {
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
        }
        return hash
    }
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
