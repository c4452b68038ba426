/// The `Date` field's form, IMF-fixdate (RFC 9110 §5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.
package enum HTTPDate {
    /// The 29 bytes for a moment in seconds since 1970 UTC. Years before 0 and after 9999, which
    /// four digits cannot tell, become the nearest that can be told.
    package static func bytes(secondsSince1970: Int) -> [UInt8] {
        let seconds = min(max(secondsSince1970, -62_167_219_200), 253_402_300_799)
        let days = (seconds >= 0 ? seconds : seconds - 86_399) / 86_400
        let second = seconds - days * 86_400
        let (year, month, day) = civil(days: days)
        var output: [UInt8] = []
        output.reserveCapacity(29)
        // 1970-01-01 was a Thursday.
        output.append(contentsOf: name(((days % 7) + 11) % 7, of: "SunMonTueWedThuFriSat"))
        output.append(", ")
        output.append(decimal: day, width: 2)
        output.append(" ")
        output.append(contentsOf: name(month - 1, of: "JanFebMarAprMayJunJulAugSepOctNovDec"))
        output.append(" ")
        output.append(decimal: year, width: 4)
        output.append(" ")
        output.append(decimal: second / 3600, width: 2)
        output.append(":")
        output.append(decimal: second / 60 % 60, width: 2)
        output.append(":")
        output.append(decimal: second % 60, width: 2)
        output.append(" GMT")
        return output
    }

    private static func name(_ index: Int, of names: String) -> Substring.UTF8View {
        names.utf8.dropFirst(index * 3).prefix(3)
    }

    /// The date of a day counted from 1970-01-01, in the proleptic Gregorian calendar. Years are
    /// counted from March, so that the leap day is the last of its year; an era is 400 years.
    private static func civil(days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }
}
