/// How far Mollie's lists are read: first the payments that a part of a list showed, then the rest
/// of the list, then the next list.
struct MollieCursor: Equatable {
    enum List: String, CaseIterable {
        case payments, refunds, chargebacks

        var next: List? {
            switch self {
            case .payments: .refunds
            case .refunds: .chargebacks
            case .chargebacks: nil
            }
        }

        /// Days before the first wanted one to which it is read.
        var daysBefore: Int { self == .refunds ? 30 : 102 }
    }

    /// Nil after the last list.
    var list: List?
    /// The id at which the next page of the list begins; nil for its first page.
    var from: String?
    /// Those still to be fetched.
    var payments: [String] = []

    /// The beginning.
    init() { list = .payments }

    init(list: List?, from: String? = nil, payments: [String] = []) {
        self.list = list
        self.from = from
        self.payments = payments
    }

    /// `refunds.re_2.tr_1,tr_7`, with empty parts for what there is not.
    var text: String {
        "\(list?.rawValue ?? "").\(from ?? "").\(payments.joined(separator: ","))"
    }

    /// Returns nil for a text of another form.
    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3 else { return nil }
        payments = parts[2].split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        if parts[2].isEmpty { payments = [] }
        guard payments.allSatisfy(Mollie.isPaymentID) else { return nil }
        list = List(rawValue: parts[0])
        guard list != nil else {
            guard parts[0].isEmpty, parts[1].isEmpty, !payments.isEmpty else { return nil }
            return
        }
        guard !parts[1].isEmpty else { return }
        guard Self.isID(parts[1]) else { return nil }
        from = parts[1]
    }

    /// Whether it may become a part of a URL.
    static func isID(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x41...0x5a).contains($0 & ~0x20)
                    || $0 == UInt8(ascii: "_")
            }
    }

    /// The place after the first payment is fetched; nil at the end.
    var afterPayment: MollieCursor? {
        var next = self
        next.payments.removeFirst()
        return next.list == nil && next.payments.isEmpty ? nil : next
    }
}
