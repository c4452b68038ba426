import JSON
import Payments
import Platform
import Records

/// One entry of the rejection log, which the receiver's `RejectionLog` writes.
package struct RejectionEntry: Sendable, Equatable {
    package var id: String
    package var received: String
    /// Empty for an unknown path.
    package var endpoint: String
    /// The probable endpoint of an unknown path; otherwise nil.
    package var nearest: String?
    package var provider: String
    package var reason: String
    package var detail: String
    package var client: String
    package var request: CapturedRequest
    /// The entry's line, without the newline.
    package var line: [UInt8]

    /// Nil for an invalid line, as the last one may be after a full disk.
    package init?(line: ArraySlice<UInt8>) {
        let bytes = Array(line)
        guard let root = try? JSONDocument(parsing: bytes).root,
            let request = try? RecordDecoder.request(bytes),
            let id = root["id"]?.string, let reason = root["reason"]?.string,
            let endpoint = root["endpoint"]?.string
        else { return nil }
        self.id = id
        self.reason = reason
        self.endpoint = endpoint
        nearest = root["nearest"]?.string
        received = root["received"]?.string ?? ""
        provider = root["provider"]?.string ?? ""
        detail = root["detail"]?.string ?? ""
        client = root["client"]?.string ?? ""
        self.request = CapturedRequest(request)
        bodyBytes = self.request.body.count
        self.line = bytes
    }

    /// Length of the request's body.
    package var bodyBytes: Int

    /// A copy for a list, without body, headers and line.
    package var withoutRequest: RejectionEntry {
        var entry = self
        entry.request.body = []
        entry.request.headers = []
        entry.line = []
        return entry
    }

    /// `received` as a time; nil if it is invalid.
    package var receivedTime: Timestamp? { Timestamp(iso8601: received) }

    /// The log's files, older first; either may be missing.
    package static let fileNames = ["rejections.previous.jsonl", "rejections.jsonl"]

    /// Whether these bytes are a log, not a raw request.
    package static func isLog(_ bytes: [UInt8]) -> Bool {
        bytes.first { $0 > 0x20 } == UInt8(ascii: "{")
    }

    /// The entries of the log in a folder, oldest first, and the number of invalid lines.
    ///
    /// - Throws: `unreadable`.
    package static func entries(
        inFolder folder: String
    ) throws(ReplayError) -> (entries: [RejectionEntry], broken: Int) {
        var all: (entries: [RejectionEntry], broken: Int) = ([], 0)
        for name in fileNames {
            do throws(ReplayError) {
                let part = entries(of: try FileContents.replayed("\(folder)/\(name)"))
                all.entries += part.entries
                all.broken += part.broken
            } catch {
                // Nothing was refused yet, or the log was not rotated yet.
                guard case .missing = error else { throw error }
            }
        }
        return all
    }

    /// The entries of a log, and the number of invalid lines.
    package static func entries(of bytes: [UInt8]) -> (entries: [RejectionEntry], broken: Int) {
        var entries: [RejectionEntry] = []
        var broken = 0
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            if let entry = RejectionEntry(line: line) { entries.append(entry) } else { broken += 1 }
        }
        return (entries, broken)
    }
}
