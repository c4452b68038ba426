/// Which of what happens is worth a line of the log: of several of a kind in a row, the first.
struct InquiryTelling {
    /// Why it cannot be found out what to ask; nil when it can.
    private(set) var trouble: String?
    /// Why the provider answered last what does not help.
    private var refusal: String?

    /// It cannot be found out what to ask.
    mutating func meet(_ reason: String) -> [InquiryNotice] {
        defer { trouble = reason }
        return trouble == nil ? [.unreadable(reason)] : []
    }

    /// It can be found out again.
    mutating func recover() -> [InquiryNotice] {
        defer { trouble = nil }
        return trouble == nil ? [] : [.readable]
    }

    /// What an inquiry has come to.
    mutating func hear(_ found: InquiryReport, of reference: String) -> [InquiryNotice] {
        var notices: [InquiryNotice] = []
        if !found.recorded.isEmpty {
            notices.append(
                .found(
                    reference: reference, records: found.recorded.count,
                    conflicts: found.conflicts))
        }
        switch found.verdict {
        case .answered, .absent: refusal = nil
        case .retry: break
        case .denied, .untrusted, .unreadable:
            if refusal != found.reason {
                notices.append(
                    .refused(
                        found.verdict, reason: found.reason, reference: reference,
                        detail: found.detail))
            }
            refusal = found.reason
        }
        return notices
    }
}
