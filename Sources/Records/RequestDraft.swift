import Bytes
import JSON

/// The `request` member of a record as it is read.
struct RequestDraft {
    private var method: String?
    private var target: String?
    private var headers: [(String, String)] = []
    private var headersAreWhole = true
    private var body: String?
    private var bodyBase64: String?

    mutating func read(from scanner: inout JSONScanner) throws(JSONError) {
        try scanner.beginObject()
        while let member = try scanner.nextKey() {
            switch member {
            case "method": method = try scanner.string()
            case "target": target = try scanner.string()
            case "headers": try readHeaders(from: &scanner)
            case "body": body = try scanner.string()
            case "bodyBase64": bodyBase64 = try scanner.string()
            default: try scanner.skipValue()
            }
        }
    }

    private mutating func readHeaders(from scanner: inout JSONScanner) throws(JSONError) {
        try scanner.beginArray()
        while try scanner.nextElement() {
            var texts: [String] = []
            try scanner.beginArray()
            while try scanner.nextElement() { texts.append(try scanner.string()) }
            if texts.count == 2 {
                headers.append((texts[0], texts[1]))
            } else {
                headersAreWhole = false
            }
        }
    }

    /// The request, when everything that makes one was there.
    func request() throws(RecordError) -> RecordedRequest {
        guard let method, let target else { throw .missing("request.method or target") }
        guard headersAreWhole else { throw .value("request.headers") }
        var fields: [Header] = []
        for (name, value) in headers {
            fields.append(
                Header(
                    name: try Self.latin1(name, "request.headers"),
                    value: try Self.latin1(value, "request.headers")))
        }
        return RecordedRequest(
            method: method, target: try Self.latin1(target, "request.target"), headers: fields,
            body: try bodyBytes())
    }

    private func bodyBytes() throws(RecordError) -> [UInt8] {
        if let body { return Array(body.utf8) }
        guard let bodyBase64 else { throw .missing("request.body") }
        guard let bytes = Base64.decode(strict: Array(bodyBase64.utf8)[...]) else {
            throw .value("request.bodyBase64")
        }
        return bytes
    }

    /// The bytes whose numbers the code points are.
    private static func latin1(
        _ text: String, _ member: String
    ) throws(RecordError) -> ArraySlice<UInt8> {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            guard let byte = UInt8(exactly: scalar.value) else { throw .value(member) }
            bytes.append(byte)
        }
        return bytes[...]
    }
}
