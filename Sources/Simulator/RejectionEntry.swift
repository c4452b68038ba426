import JSON
import Payments
import Platform
import Records
import Sealing

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
    /// The entry's line, without the newline; opened, where it was sealed.
    package var line: [UInt8]
    /// The name of the master key without which the request cannot be read; nil if it can be.
    package var lockedBy: String?
    /// Whether its request was erased.
    package var isErased: Bool

    /// Nil for an invalid line, as the last one may be after a full disk.
    ///
    /// - Parameter seal: Opens a sealed line.
    package init?(line: ArraySlice<UInt8>, seal: SideSeal) {
        var bytes = Array(line)
        guard var root = try? JSONDocument(parsing: bytes).root else { return nil }
        if let sealed = root["sealed"] {
            guard let master = sealed["master"]?.string else { return nil }
            if let opened = Self.opened(bytes, root, sealed, master, seal),
                let document = try? JSONDocument(parsing: opened)
            {
                (bytes, root) = (opened, document.root)
            } else {
                lockedBy = master
            }
        }
        isErased = root["erased"]?.bool ?? false
        let request =
            lockedBy == nil && !isErased
            ? (try? RecordDecoder.request(bytes)).map { CapturedRequest($0) } : CapturedRequest.none
        guard let request, let id = root["id"]?.string, let reason = root["reason"]?.string,
            let endpoint = root["endpoint"]?.string
        else { return nil }
        self.id = id
        self.reason = reason
        self.endpoint = endpoint
        nearest = root["nearest"]?.string
        received = root["received"]?.string ?? ""
        provider = root["provider"]?.string ?? ""
        detail = root["detail"]?.string ?? ""
        client =
            isErased ? "erased" : lockedBy == nil ? root["client"]?.string ?? "" : "sealed"
        self.request = request
        bodyBytes = self.request.body.count
        self.line = bytes
    }

    /// The line with what was sealed in its place; nil when it cannot be opened.
    private static func opened(
        _ line: [UInt8], _ root: JSONValue, _ sealed: JSONValue, _ master: String, _ seal: SideSeal
    ) -> [UInt8]? {
        guard let id = root["id"]?.string, let box = sealed["bytes"]?.string,
            let plain = seal.open(master: master, box: box, bound: Array(id.utf8)),
            let start = line.firstRange(of: Array(#","sealed":"#.utf8))?.lowerBound
        else { return nil }
        return line[..<start] + [UInt8(ascii: ",")] + plain.dropFirst()
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
        inFolder folder: String, seal: SideSeal
    ) throws(ReplayError) -> (entries: [RejectionEntry], broken: Int) {
        var all: (entries: [RejectionEntry], broken: Int) = ([], 0)
        for name in fileNames {
            do throws(ReplayError) {
                let part = entries(
                    of: try FileContents.replayed("\(folder)/\(name)"), seal: seal)
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
    package static func entries(
        of bytes: [UInt8], seal: SideSeal
    ) -> (entries: [RejectionEntry], broken: Int) {
        var entries: [RejectionEntry] = []
        var broken = 0
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            if let entry = RejectionEntry(line: line, seal: seal) {
                entries.append(entry)
            } else {
                broken += 1
            }
        }
        return (entries, broken)
    }
}
