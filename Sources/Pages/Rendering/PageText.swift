import Payments

/// Formats amounts, times and numbers for people.
enum PageText {
    /// `1,234.50 MYR`: all decimal places of the currency, with thousands separators.
    static func money(_ money: Money) -> String {
        let parts = money.decimal.split(separator: ".", omittingEmptySubsequences: false)
        let fraction = parts.count > 1 ? ".\(parts[1])" : ""
        let isNegative = parts[0].hasPrefix("-")
        let whole = grouped(String(parts[0].drop { $0 == "-" }))
        return "\(isNegative ? "−" : "")\(whole)\(fraction) \(money.currency.code)"
    }

    static func money(_ money: Money?) -> String? { money.map { Self.money($0) } }

    static func grouped(_ digits: String) -> String {
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { text += "," }
            text.append(digit)
        }
        return text
    }

    static func count(_ number: some BinaryInteger) -> String { grouped("\(number)") }

    /// The parts that are not empty.
    static func joined(_ parts: [String?], by separator: String) -> String {
        parts.compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: separator)
    }

    /// The values of the partial `time`. The script replaces UTC by the reader's time zone.
    static func time(_ time: Timestamp) -> PageValues { Self.time(time.rfc3339) ?? [:] }

    static func time(_ rfc3339: String) -> PageValues? {
        guard rfc3339.utf8.count >= 19 else { return nil }
        let date = rfc3339.prefix(10)
        let clock = rfc3339.dropFirst(11).prefix(8)
        return ["iso": rfc3339, "text": "\(date) \(clock) UTC"]
    }

    static func size(_ bytes: Double) -> String {
        let units = ["bytes", "KB", "MB", "GB", "TB"]
        var value = bytes
        var unit = 0
        while value >= 1000, unit + 1 < units.count {
            value /= 1000
            unit += 1
        }
        return unit == 0 ? "\(Int(value)) bytes" : "\(decimal(value)) \(units[unit])"
    }

    /// The number with one decimal place, or none where that is 0.
    static func decimal(_ value: Double) -> String {
        let tenths = Int((10 * value).rounded())
        return tenths.isMultiple(of: 10) ? "\(tenths / 10)" : "\(Double(tenths) / 10)"
    }

    /// A duration in its two greatest units.
    static func span(seconds: Int) -> String {
        let (days, hours, minutes) = (seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60)
        if days > 0 { return "\(days) d \(hours) h" }
        if hours > 0 { return "\(hours) h \(minutes) min" }
        if minutes > 0 { return "\(minutes) min \(seconds % 60) s" }
        return "\(seconds) s"
    }
}
