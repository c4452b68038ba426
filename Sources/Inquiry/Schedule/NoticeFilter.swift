/// Selects the events for the log: of several of a kind in a row, the first.
struct NoticeFilter {
    /// Why the due orders cannot be found; nil when they can.
    private(set) var trouble: String?
    /// The reason of the provider's last unhelpful answer.
    private var refusal: String?

    /// Records that the due orders cannot be found.
    mutating func failed(_ reason: String) -> [InquiryNotice] {
        defer { trouble = reason }
        return trouble == nil ? [.unreadable(reason)] : []
    }

    /// Records that the due orders were found.
    mutating func worked() -> [InquiryNotice] {
        defer { trouble = nil }
        return trouble == nil ? [] : [.readable]
    }

    /// Records the report of an inquiry.
    mutating func reported(_ found: InquiryReport, of reference: String) -> [InquiryNotice] {
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
