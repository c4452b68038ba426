@testable import HTTP

/// An independent reader of the grammar for the mutation tests, written for clarity only: it sees
/// all bytes at once, splits lines, and shares no code with the parser. It reports the bodies
/// before the first error or missing part, and whether there is an error.
struct ReferenceReader {
    private struct Refused: Error {}
    private struct Incomplete: Error {}

    private(set) var bodies: [String] = []
    private(set) var isRefused = false
    private var rest: Substring.UnicodeScalarView

    init(_ bytes: [UInt8]) {
        rest = Substring(text(bytes)).unicodeScalars
        do {
            while true {
                let (body, keeps) = try request()
                bodies.append(body)
                if !keeps { return }
            }
        } catch is Refused {
            isRefused = true
        } catch {}
    }

    private mutating func request() throws -> (String, Bool) {
        var first = try line()
        if first.isEmpty { first = try line() }
        let parts = first.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 3, ["GET", "HEAD", "POST"].contains(parts[0]),
            let version = parts[2].wholeMatch(of: /HTTP\/1\.([0-9])/)
        else { throw Refused() }
        let fields = try section()
        let hosts = fields.filter { $0.0 == "host" }.map(\.1)
        guard hosts.count == 1 || hosts.isEmpty && version.1 == "0",
            hosts.allSatisfy({ $0.contains(/^(\[[0-9A-Fa-f:.]+\]|[^\[\]:\/?#@,"\s]+)(:[0-9]*)?$/) }
            ),
            parts[1].contains(
                /^(https?:\/\/[^\/?#]+|\/)[A-Za-z0-9._~!$&'()*+,;=:@\/?%\-]*$/.ignoresCase()),
            !parts[1].contains(/%(?![0-9A-Fa-f]{2})/)
        else { throw Refused() }
        let options = fields.filter { $0.0 == "connection" }.flatMap { $0.1.split(separator: ",") }
            .map { Self.trimmed($0).lowercased() }
        let keeps =
            !options.contains("close") && (version.1 != "0" || options.contains("keep-alive"))
        return (try body(fields, isHTTP10: version.1 == "0"), keeps)
    }

    private mutating func body(_ fields: [(String, String)], isHTTP10: Bool) throws -> String {
        let codings = fields.filter { $0.0 == "transfer-encoding" }.map { $0.1.lowercased() }
        let lengths = fields.filter { $0.0 == "content-length" }.map(\.1)
        let expectations = fields.filter { $0.0 == "expect" }.map { $0.1.lowercased() }
        guard isHTTP10 || expectations.isEmpty || expectations == ["100-continue"] else {
            throw Refused()
        }
        if codings.isEmpty, lengths.isEmpty { return "" }
        if codings.isEmpty {
            guard lengths.count == 1, lengths[0].contains(/^[0-9]+$/), let count = Int(lengths[0]),
                count <= 1 << 20
            else { throw Refused() }
            return try take(count)
        }
        guard codings == ["chunked"], lengths.isEmpty, !isHTTP10 else { throw Refused() }
        var whole = ""
        while true {
            let size = try line()
            let token = /[!#$%&'*+\-.^_`|~0-9A-Za-z]+/
            let pattern = /^([0-9A-Fa-f]+)(;[^;]+)*$/
            guard let match = size.wholeMatch(of: pattern), let count = Int(match.1, radix: 16),
                size.prefix(while: { $0 != ";" }).count == match.1.count,
                size.dropFirst(match.1.count).isEmpty || size.contains(token)
            else { throw Refused() }
            if count == 0 { break }
            whole += try take(count)
            guard try take(2) == "\r\n" else { throw Refused() }
        }
        _ = try section()
        return whole
    }

    private mutating func section() throws -> [(String, String)] {
        var fields: [(String, String)] = []
        while true {
            let next = try line()
            if next.isEmpty { return fields }
            guard let colon = next.firstIndex(of: ":"), colon > next.startIndex,
                next[..<colon].unicodeScalars.allSatisfy({ ByteSet.token.contains(UInt8($0.value)) }
                ),
                next.unicodeScalars.allSatisfy({ $0 == "\t" || $0.value >= 32 && $0.value != 127 })
            else { throw Refused() }
            let value = Self.trimmed(next[next.index(after: colon)...])
            fields.append((next[..<colon].lowercased(), value))
        }
    }

    private static func trimmed(_ value: Substring) -> String {
        var scalars = value.unicodeScalars
        while let first = scalars.first, first == " " || first == "\t" { scalars.removeFirst() }
        while let last = scalars.last, last == " " || last == "\t" { scalars.removeLast() }
        return String(scalars)
    }

    /// A line without its CRLF. A bare CR or LF in it is refused.
    private mutating func line() throws -> String {
        guard let end = rest.firstIndex(of: "\n") else { throw Incomplete() }
        var content = rest[..<end]
        guard content.popLast() == "\r", !content.contains("\r") else { throw Refused() }
        rest = rest[rest.index(after: end)...]
        return String(content)
    }

    private mutating func take(_ count: Int) throws -> String {
        let taken = rest.prefix(count)
        guard taken.count == count else { throw Incomplete() }
        rest = rest[taken.endIndex...]
        return String(taken)
    }
}
