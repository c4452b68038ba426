import Bytes

/// Encodes answers (RFC 9112 §4). It cannot fail, and no given value can add another line: a field
/// whose name is not a token or whose value contains a control character is left out.
package enum ResponseEncoder {
    /// The interim answer to `Expect: 100-continue` (RFC 9110 §15.2.1).
    package static let continueBytes = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)

    /// Appends the answer to `output`.
    ///
    /// - Parameters:
    ///   - omitBody: The request was a HEAD; `Content-Length` still gives the body's size (RFC 9110
    ///     §9.3.2).
    ///   - close: The connection ends after this answer (RFC 9112 §9.6).
    ///   - date: The value of `Date`, prepared by `HTTPDate`; empty for none.
    ///   - version: The request's version. An HTTP/1.0 client must be informed that the connection
    ///     stays open (RFC 9112 §9.3), or it waits for its end.
    package static func encode(
        _ response: Response, omitBody: Bool, close: Bool, date: [UInt8],
        version: Version = .http11,
        into output: inout [UInt8]
    ) {
        output.reserveCapacity(output.count + 256 + (omitBody ? 0 : response.body.count))
        appendStatusLine(response.sentStatus, to: &output)
        if !date.isEmpty, isFieldValue(date.span) {
            output.append("Date: ")
            output.append(contentsOf: date)
            output.append("\r\n")
        }
        if let lines = response.lines {
            output.append(contentsOf: lines)
        } else {
            encodeLines(of: response, version: version, into: &output)
        }
        if close {
            output.append("Connection: close\r\n")
        } else if version == .http10 {
            output.append("Connection: keep-alive\r\n")
        }
        output.append("\r\n")
        if !omitBody && response.stream == nil && response.hasBody {
            output.append(contentsOf: response.body)
        }
    }

    private static func appendStatusLine(_ status: Int, to output: inout [UInt8]) {
        // The usual case.
        if status == 200 { return output.append("HTTP/1.1 200 OK\r\n") }
        output.append("HTTP/1.1 ")
        output.append(decimal: status)
        output.append(" ")
        output.append(ReasonPhrase.of(status))
        output.append("\r\n")
    }

    /// Appends the fields of the answer, and the field that frames its body.
    static func encodeLines(
        of response: Response, version: Version, into output: inout [UInt8]
    ) {
        for (name, value) in response.fields where isSendable(name: name, value: value) {
            output.append(contentsOf: name.utf8)
            output.append(": ")
            output.append(contentsOf: value.utf8)
            output.append("\r\n")
        }
        if response.stream != nil {
            // An HTTP/1.0 client does not support chunks: the end of the connection ends the body,
            // and the caller closes it (RFC 9112 §6.1, §6.3).
            if version == .http11 { output.append("Transfer-Encoding: chunked\r\n") }
        } else if response.hasLength {
            output.append("Content-Length: ")
            output.append(decimal: response.hasBody ? response.body.count : 0)
            output.append("\r\n")
        }
    }

    /// The bytes before and after a chunk of `count` bytes, which must not be 0.
    package static func chunkFrame(_ count: Int) -> (start: [UInt8], end: [UInt8]) {
        (Array("\(String(count, radix: 16))\r\n".utf8), [0x0D, 0x0A])
    }

    /// Appends one chunk (RFC 9112 §7.1). An empty chunk would end the body, so it is left out.
    package static func encode(chunk: [UInt8], into output: inout [UInt8]) {
        guard !chunk.isEmpty else { return }
        output.reserveCapacity(output.count + chunk.count + 16)
        output.append(contentsOf: String(chunk.count, radix: 16).utf8)
        output.append("\r\n")
        output.append(contentsOf: chunk)
        output.append("\r\n")
    }

    /// The end of a chunked body: the last chunk and no trailers.
    package static let lastChunk = Array("0\r\n\r\n".utf8)

    /// Whether a field can be sent as it is and is not one that the encoder adds.
    package static func isSendable(name: String, value: String) -> Bool {
        guard !name.isEmpty, name.utf8.allSatisfy(ByteSet.token.contains) else { return false }
        guard isFieldValue(value.utf8.span) else { return false }
        switch name.utf8.count {
        case 4: return !isNamed(name, "date")
        case 10: return !isNamed(name, "connection")
        case 14: return !isNamed(name, "content-length")
        case 17: return !isNamed(name, "transfer-encoding")
        default: return true
        }
    }

    private static func isFieldValue(_ value: Span<UInt8>) -> Bool {
        value.firstNonFieldContent(from: 0, to: value.count) == value.count
    }

    private static func isNamed(_ name: String, _ lowercased: String) -> Bool {
        name.utf8.elementsEqual(lowercased.utf8) { ByteClass.lowercased($0) == $1 }
    }
}

extension Response {
    fileprivate var sentStatus: Int { (200...599).contains(status) ? status : 500 }

    // RFC 9110 §8.6, §15.3.5, §15.3.6, §15.4.5: 204 and 304 have no body and no length here; 205
    // has an empty one.
    fileprivate var hasLength: Bool { status != 204 && status != 304 }
    fileprivate var hasBody: Bool { hasLength && status != 205 }
}

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

extension [UInt8] {
    /// Appends a literal.
    mutating func append(_ text: StaticString) {
        unsafe append(
            contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends a non-negative number in decimal.
    mutating func append(decimal number: Int) {
        if number >= 10 { append(decimal: number / 10) }
        append(UInt8(truncatingIfNeeded: number % 10) &+ 0x30)
    }

    /// Appends a number in decimal with leading zeros up to `width`.
    mutating func append(decimal number: Int, width: Int) {
        if width > 1 { append(decimal: number / 10, width: width - 1) }
        append(UInt8(truncatingIfNeeded: number % 10) &+ 0x30)
    }
}
