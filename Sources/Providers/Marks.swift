import Bytes
import JSON

/// Headers and fields that only this system's notifications have. They are looked up for a request
/// to a path that no endpoint has: nothing is verified there, and nothing is trusted.
package struct Marks: Sendable, Equatable {
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
    /// The field names that are a mark of any system.
    private static let allFields = Set(ProviderRegistry.list.flatMap(\.marks.fields).joined())

    /// Maximum number of form fields that are examined; forms of known systems have about ten.
    private static let formFieldsMax = 256

    /// Returns the fields of any system that the body has at its top level. Makes one pass over at
    /// most `bytesMax` bytes of it; for a truncated or invalid body, returns those found until
    /// then.
    package static func fields(of body: [UInt8], bytesMax: Int) -> Set<String> {
        let part = body.prefix(bytesMax)
        let first = part.first { $0 != 0x20 && $0 != 0x09 && $0 != 0x0A && $0 != 0x0D }
        return first == UInt8(ascii: "{") ? members(of: part) : formFields(of: part)
    }

    private static func members(of part: ArraySlice<UInt8>) -> Set<String> {
        var found: Set<String> = []
        part.withUnsafeBytes { bytes in
            var scanner = JSONScanner(bytes)
            do throws(JSONError) {
                try scanner.beginObject()
                while found.count < allFields.count, let name = try scanner.nextKey() {
                    if allFields.contains(name) { found.insert(name) }
                    try scanner.skipValue()
                }
            } catch {
                // Return the names found so far.
            }
        }
        return found
    }

    private static func formFields(of part: ArraySlice<UInt8>) -> Set<String> {
        var found: Set<String> = []
        for pair in part.split(separator: UInt8(ascii: "&"), maxSplits: formFieldsMax) {
            guard let equals = pair.firstIndex(of: UInt8(ascii: "=")) else { continue }
            let name = String(decoding: pair[..<equals], as: UTF8.self)
            if allFields.contains(name) { found.insert(name) }
        }
        return found
    }
}
