import JSON

/// The member `event.expectation.metadata` while it is sealed:
/// `{"sealed":{"record":17,"bytes":"…","digest":"…"}}`. It goes as it is wherever metadata goes,
/// also into the index and the database's tables.
package struct SealedMetadata: Sendable, Equatable {
    /// The record whose key sealed it.
    package var record: UInt64
    /// The box in Base64.
    var text: String
    /// Equal metadata has equal digests (HMAC-SHA-256 under the ring's own key, 16 bytes,
    /// hexadecimal).
    var digest: String

    static let beginning = Array(#"{"sealed":{"record":"#.utf8)

    init(record: UInt64, text: String, digest: String) {
        self.record = record
        self.text = text
        self.digest = digest
    }

    /// Reads metadata; nil when it is not sealed.
    package init?(_ metadata: [UInt8]) {
        guard metadata.starts(with: Self.beginning) else { return nil }
        var (record, text, digest): (Int64?, String?, String?)
        let isRead: Void? = try? metadata.withUnsafeBytes { bytes throws(JSONError) in
            var scanner = JSONScanner(bytes)
            try scanner.beginObject()
            while let outer = try scanner.nextKey() {
                guard outer == "sealed" else {
                    try scanner.skipValue()
                    continue
                }
                try scanner.beginObject()
                while let member = try scanner.nextKey() {
                    switch member {
                    case "record": record = try scanner.int64()
                    case "bytes": text = try scanner.string()
                    case "digest": digest = try scanner.string()
                    default: try scanner.skipValue()
                    }
                }
            }
        }
        guard isRead != nil, let record = record.flatMap({ UInt64(exactly: $0) }), let text,
            let digest
        else { return nil }
        self.init(record: record, text: text, digest: digest)
    }

    var bytes: [UInt8] {
        Self.beginning
            + Array(#"\#(record),"bytes":"\#(text)","digest":"\#(digest)"}}"#.utf8)
    }

    /// The box is bound to the place of metadata in the record, so that no other sealed part of the
    /// record passes for it.
    static func bound(to record: UInt64) -> [UInt8] {
        Array("event.expectation.metadata of \(record)".utf8)
    }
}
