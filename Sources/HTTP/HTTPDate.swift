import Bytes

/// The `Date` field's form, IMF-fixdate (RFC 9110 §5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.
package enum HTTPDate {
    /// The 29 bytes for a time in seconds since 1970 UTC. Years before 0 and after 9999, which four
    /// digits cannot represent, become the nearest representable ones.
    package static func bytes(secondsSince1970: Int) -> [UInt8] {
        let seconds = min(max(secondsSince1970, -62_167_219_200), 253_402_300_799)
        let days = (seconds >= 0 ? seconds : seconds - 86_399) / 86_400
        let second = seconds - days * 86_400
        let date = CivilDate(daysSince1970: Int64(days))
        var output: [UInt8] = []
        output.reserveCapacity(29)
        // 1970-01-01 was a Thursday.
        output.append(contentsOf: name(((days % 7) + 11) % 7, of: "SunMonTueWedThuFriSat"))
        output.append(", ")
        output.append(decimal: Int(date.day), width: 2)
        output.append(" ")
        output.append(
            contentsOf: name(Int(date.month) - 1, of: "JanFebMarAprMayJunJulAugSepOctNovDec"))
        output.append(" ")
        output.append(decimal: Int(date.year), width: 4)
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
}
