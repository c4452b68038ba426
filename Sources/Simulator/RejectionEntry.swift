import JSON
import Payments
import Platform
import Records

/// One entry of the rejection log, as `RejectionLog` of the receiver writes it.
package struct RejectionEntry: Sendable, Equatable {
    package var id: String
    package var received: String
    /// Empty where the path led to none.
    package var endpoint: String
    /// The endpoint that it was probably meant for; nil where it came to one.
    package var nearest: String?
    package var provider: String
    package var reason: String
    package var detail: String
    package var client: String
    package var request: CapturedRequest
    /// The entry's own line, without the newline.
    package var line: [UInt8]

    /// Nil for a line that is no whole entry, as the last one after a full disk may be.
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

    /// The same for a list: without the body, the headers and the line.
    package var withoutRequest: RejectionEntry {
        var entry = self
        entry.request.body = []
        entry.request.headers = []
        entry.line = []
        return entry
    }

    /// `received`; nil where it is no time.
    package var receivedTime: Timestamp? { Timestamp(iso8601: received) }

    /// The log's files in its folder, the older first; either may be missing.
    package static let fileNames = ["rejections.previous.jsonl", "rejections.jsonl"]

    /// Whether these bytes are a log's, and not a raw request.
    package static func isLog(_ bytes: [UInt8]) -> Bool {
        bytes.first { $0 > 0x20 } == UInt8(ascii: "{")
    }

    /// The entries of the whole log in a folder, the oldest first, and how many lines are none.
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
                // Nothing was refused yet, or the log has not turned over.
                guard case .missing = error else { throw error }
            }
        }
        return all
    }

    /// The entries of a log, and how many lines are none.
    package static func entries(of bytes: [UInt8]) -> (entries: [RejectionEntry], broken: Int) {
        var entries: [RejectionEntry] = []
        var broken = 0
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            if let entry = RejectionEntry(line: line) { entries.append(entry) } else { broken += 1 }
        }
        return (entries, broken)
    }
}
