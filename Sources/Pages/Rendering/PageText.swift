import JSON
import Payments

/// Amounts, times and numbers as people read them.
enum PageText {
    /// `1,234.50 MYR`: all digits of the currency, thousands apart.
    static func money(_ money: Money) -> String {
        let parts = money.decimal.split(separator: ".", omittingEmptySubsequences: false)
        let fraction = parts.count > 1 ? ".\(parts[1])" : ""
        let isNegative = parts[0].hasPrefix("-")
        let whole = grouped(String(parts[0].drop { $0 == "-" }))
        return "\(isNegative ? "−" : "")\(whole)\(fraction) \(money.currency.code)"
    }

    /// Of the API's `{"minor":…,"currency":…}`; nil for null.
    static func money(_ value: JSONValue?) -> String? {
        amount(value).map(money)
    }

    static func amount(_ value: JSONValue?) -> Money? {
        guard let minor = value?["minor"]?.int64,
            let currency = value?["currency"]?.string.flatMap({ Currency($0) })
        else { return nil }
        return Money(minor: minor, currency: currency)
    }

    static func grouped(_ digits: String) -> String {
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { text += "," }
            text.append(digit)
        }
        return text
    }

    static func count(_ number: some BinaryInteger) -> String { grouped("\(number)") }

    /// For the partial `time`: the script puts the reader's own zone in its place.
    static func time(_ rfc3339: String?) -> PageValues? {
        guard let rfc3339, rfc3339.utf8.count >= 19 else { return nil }
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

    /// With one decimal where that says something.
    static func decimal(_ value: Double) -> String {
        let tenths = Int((10 * value).rounded())
        return tenths.isMultiple(of: 10) ? "\(tenths / 10)" : "\(Double(tenths) / 10)"
    }

    /// The two greatest units of a time.
    static func span(seconds: Int) -> String {
        let (days, hours, minutes) = (seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60)
        if days > 0 { return "\(days) d \(hours) h" }
        if hours > 0 { return "\(hours) h \(minutes) min" }
        if minutes > 0 { return "\(minutes) min \(seconds % 60) s" }
        return "\(seconds) s"
    }
}

extension JSONValue {
    /// The elements of a member that is an array; none where it is missing.
    func list(_ key: StaticString) -> [JSONValue] {
        self[key].map { Array($0.elements) } ?? []
    }
}
