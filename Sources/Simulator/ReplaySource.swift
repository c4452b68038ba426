import Glibc
import Journal
import Payments
import Platform
import Records
import SystemPackage

/// Where requests to send again come from.
package enum ReplaySource: Sendable, Equatable {
    /// A journal's directory.
    case journal(String)
    /// `.http` files, each one raw request, in the order of their names.
    case files([String])

    /// Looks at what `path` is: a folder with segments is a journal, one with `.http` files is a
    /// set of requests, a file is one request.
    ///
    /// - Throws: ``ReplayError``.
    package init(path: String) throws(ReplayError) {
        guard let names = try? Directory.list(path) else {
            guard access(path, F_OK) == 0 else { throw .missing(path) }
            self = .files([path])
            return
        }
        if names.contains(where: { $0.hasSuffix(".segment") }) || names.contains("lock") {
            self = .journal(path)
            return
        }
        let requests = names.filter { $0.hasSuffix(".http") }.sorted()
        guard !requests.isEmpty else { throw .nothingToSend(path) }
        self = .files(requests.map { "\(path)/\($0)" })
    }

    /// Calls `body` with each request in order, until it answers false.
    ///
    /// - Parameters:
    ///   - endpoint: Only what came to this endpoint; files, which name none, are always given.
    ///   - after: Begin behind this sequence of the journal.
    /// - Throws: ``ReplayError``, `JournalError`, and what `body` throws.
    package func forEach(
        endpoint: String? = nil, after: UInt64 = 0, _ body: (ReplayItem) throws -> Bool
    ) throws {
        switch self {
        case .journal(let directory):
            try Self.forEachRecord(of: directory, endpoint: endpoint, after: after, body)
        case .files(let paths):
            for path in paths {
                let raw = try FileContents.replayed(path)
                guard let request = CapturedRequest(raw: raw) else {
                    throw ReplayError.notHTTP(path)
                }
                let name = path.split(separator: "/").last.map(String.init) ?? path
                guard try body(ReplayItem(name: name, request: request, raw: raw)) else { return }
            }
        }
    }

    private struct Enough: Error {}

    private static func forEachRecord(
        of directory: String, endpoint: String?, after: UInt64,
        _ body: (ReplayItem) throws -> Bool
    ) throws {
        var reader = try JournalReader(directory: directory, after: after)
        do {
            _ = try reader.read { sequence, record in
                let event = try RecordDecoder.event(record)
                guard endpoint == nil || event.endpoint == endpoint else { return }
                // What the merchant registered or a later rule corrected came from no provider:
                // there is nothing to send.
                guard event.hasRequest else { return }
                let item = ReplayItem(
                    name: "#\(sequence)", endpoint: event.endpoint, provider: event.provider,
                    received: event.received,
                    request: CapturedRequest(try RecordDecoder.request(record)))
                guard try body(item) else { throw Enough() }
            }
        } catch is Enough {}
    }
}

/// One request to send again.
package struct ReplayItem: Sendable {
    /// `#42` of a journal, or the file's name.
    package var name: String
    /// The endpoint it came to, where that is known.
    package var endpoint: String?
    /// The system that sent it, where that is known.
    package var provider: String?
    /// When it came.
    package var received: Timestamp?
    package var request: CapturedRequest
    /// The file's own bytes, which go out as they are; nil for a record, whose bytes are made of
    /// its parts.
    package var raw: [UInt8]?

    package init(
        name: String, endpoint: String? = nil, provider: String? = nil,
        received: Timestamp? = nil, request: CapturedRequest, raw: [UInt8]? = nil
    ) {
        self.name = name
        self.endpoint = endpoint
        self.provider = provider
        self.received = received
        self.request = request
        self.raw = raw
    }

    /// What is sent. Byte for byte what came, but for another target and, of a record, the headers
    /// that frame a connection and are not kept.
    ///
    /// - Parameter target: What the URL says instead of the captured target; nil keeps it.
    package func bytes(host: String, target: String?) -> [UInt8] {
        guard target == nil, let raw else {
            return request.wireBytes(host: host, target: target)
        }
        return raw
    }
}
