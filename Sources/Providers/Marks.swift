import Bytes
import JSON

/// Headers and fields that only this system's notifications have. They are looked up for a request
/// to a path that no endpoint has: nothing is verified there, and nothing is trusted.
package struct Marks: Sendable, Equatable, Codable {
    /// Lists of header names, in lower case. A request needs all names of one list.
    package var headers: [[String]]

    /// Lists of members of a JSON object, or fields of a form. A body needs all names of one list.
    package var fields: [[String]]

    package init(headers: [[String]] = [], fields: [[String]] = []) {
        self.headers = headers
        self.fields = fields
    }

    /// Whether a request has the marks.
    ///
    /// - Parameter fieldsFound: The fields of its body.
    package func match(_ received: [Header], fieldsFound: Set<String>) -> Bool {
        headers.contains { names in names.allSatisfy { received.search($0) != nil } }
            || fields.contains { names in names.allSatisfy(fieldsFound.contains) }
    }
}

extension Marks {
    /// Most fields of a form that are looked at; forms of known systems have about ten.
    private static let formFieldsMax = 256

    /// Which of the fields in `wanted` the body has at its top level. One pass over at most
    /// `bytesMax` of its bytes; a body that ends early or badly has those that were found until
    /// then.
    package static func fields(
        of body: [UInt8], bytesMax: Int, among wanted: Set<String>
    ) -> Set<String> {
        let part = body.prefix(bytesMax)
        let first = part.first { $0 != 0x20 && $0 != 0x09 && $0 != 0x0A && $0 != 0x0D }
        return first == UInt8(ascii: "{")
            ? members(of: part, among: wanted) : formFields(of: part, among: wanted)
    }

    private static func members(
        of part: ArraySlice<UInt8>, among wanted: Set<String>
    ) -> Set<String> {
        var found: Set<String> = []
        part.withUnsafeBytes { bytes in
            var scanner = JSONScanner(bytes)
            do throws(JSONError) {
                try scanner.beginObject()
                while found.count < wanted.count, let name = try scanner.nextKey() {
                    if wanted.contains(name) { found.insert(name) }
                    try scanner.skipValue()
                }
            } catch {
                // Return the names found so far.
            }
        }
        return found
    }

    private static func formFields(
        of part: ArraySlice<UInt8>, among wanted: Set<String>
    ) -> Set<String> {
        var found: Set<String> = []
        for pair in part.split(separator: UInt8(ascii: "&"), maxSplits: formFieldsMax) {
            guard let equals = pair.firstIndex(of: UInt8(ascii: "=")) else { continue }
            let name = String(decoding: pair[..<equals], as: UTF8.self)
            if wanted.contains(name) { found.insert(name) }
        }
        return found
    }
}
