/// Reading the forms of time that providers send.
extension Timestamp {
    /// ISO 8601 date, time and offset: `2025-05-17T00:57:31-07:00`, `2023-03-10T12:26:17+0000`,
    /// `2015-12-07 16:46:07+0000`, `2021-08-14T09:47:43.000Z`.
    ///
    /// One to nine fraction digits are read and the moment is cut to microseconds. Nil for anything
    /// else, and above all for a time without an offset: it would name no moment.
    package init?(iso8601 text: String) {
        self.init(iso8601: text.utf8.span)
    }

    /// As `init(iso8601:)`, from the bytes of a text.
    package init?(iso8601 text: Span<UInt8>) {
        self.init(text: text, offsetWhenAbsent: nil)
    }

    /// As `init(iso8601:)`, but a time without an offset is taken as UTC: `2017-06-22 13:23:12`,
    /// `2017/06/22 1:23:12 PM`.
    ///
    /// Whether it is UTC nobody says: use this for display only, and keep the provider's text.
    package init?(assumingUTC text: String) {
        self.init(assumingUTC: text.utf8.span)
    }

    /// As `init(assumingUTC:)`, from the bytes of a text.
    package init?(assumingUTC text: Span<UInt8>) {
        self.init(text: text, offsetWhenAbsent: 0)
    }

    /// Digits only: seconds since 1970 UTC, or milliseconds when the number is 100,000,000,000 (the
    /// year 5138 in seconds, 1973 in milliseconds) or more.
    package init?(epochDigits text: String) {
        self.init(epochDigits: text.utf8.span)
    }

    /// As `init(epochDigits:)`, from the bytes of a text.
    package init?(epochDigits text: Span<UInt8>) {
        var scanner = TimeScanner(text)
        guard let number = scanner.number(digits: 1...18), scanner.isAtEnd else { return nil }
        if number < 100_000_000_000 {
            self.init(epochSeconds: number)
        } else {
            self.init(epochMilliseconds: number)
        }
    }

    /// Any of the forms above, the strict ones first.
    package init?(lenient text: String) {
        self.init(lenient: text.utf8.span)
    }

    /// As `init(lenient:)`, from the bytes of a text.
    package init?(lenient text: Span<UInt8>) {
        if let moment = Timestamp(assumingUTC: text) ?? Timestamp(epochDigits: text) {
            self = moment
        } else {
            return nil
        }
    }

    private init?(text: Span<UInt8>, offsetWhenAbsent: Int64?) {
        var scanner = TimeScanner(text, isLenient: offsetWhenAbsent != nil)
        guard let date = scanner.date(), let time = scanner.time(),
            let offset = scanner.isAtEnd ? offsetWhenAbsent : scanner.offset(), scanner.isAtEnd
        else { return nil }
        let seconds = date.daysSince1970 * 86_400 + time.seconds - offset
        // RFC 3339 §5.7 allows second 60 for a leap second, and those end a UTC day. As everywhere
        // with POSIX time it is the first second of the next day.
        guard !time.isLeapSecond || seconds % 86_400 == 0 else { return nil }
        self.init(exactMicroseconds: seconds * 1_000_000 + time.microseconds)
    }
}
