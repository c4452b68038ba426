import Glibc
import Journal
import Payments
import Platform
import Records
import Sealing
import SystemPackage

/// A source of requests to resend.
package enum ReplaySource: Sendable, Equatable {
    /// A journal's directory.
    case journal(String)
    /// `.http` files, one raw request each, in the order of their names.
    case files([String])
    /// Entries of a rejection log, in order.
    case rejections(String, [RejectionEntry])

    /// A selection of a source's requests.
    package struct Selection: Sendable {
        /// Only requests to this endpoint, or to unknown paths closest to it. Files name no
        /// endpoint and are always included.
        package var endpoint: String?
        /// Start after this sequence of the journal.
        package var after: UInt64 = 0
        /// Only this entry of the rejection log.
        package var id: String?
        /// Only requests received at this time or later. Files have no time and are always
        /// included.
        package var since: Timestamp?
        /// Opens sealed records of a journal.
        package var opener: RecordOpener?

        package init() {}
    }

    /// Determines the kind of `path`: a folder with segments is a journal, one with `.http` files a
    /// set of requests, one with a rejection log that log; a file is one request, or a log.
    ///
    /// - Parameter seal: Opens the sealed entries of a rejection log.
    ///
    /// - Throws: ``ReplayError``.
    package init(path: String, seal: SideSeal = .rejections([])) throws(ReplayError) {
        guard let names = try? Directory.list(path) else {
            guard access(path, F_OK) == 0 else { throw .missing(path) }
            let bytes = try FileContents.replayed(path)
            self =
                RejectionEntry.isLog(bytes)
                ? .rejections(path, RejectionEntry.entries(of: bytes, seal: seal).entries)
                : .files([path])
            return
        }
        if names.contains(where: { $0.hasSuffix(".segment") }) || names.contains("lock") {
            self = .journal(path)
            return
        }
        if !Set(names).isDisjoint(with: RejectionEntry.fileNames) {
            self = .rejections(path, try RejectionEntry.entries(inFolder: path, seal: seal).entries)
            return
        }
        let requests = names.filter { $0.hasSuffix(".http") }.sorted()
        guard !requests.isEmpty else { throw .nothingToSend(path) }
        self = .files(requests.map { "\(path)/\($0)" })
    }

    /// Calls `body` with each request in order, until it returns false.
    ///
    /// - Throws: ``ReplayError``, `JournalError`, and what `body` throws.
    package func forEach(
        _ selection: Selection = Selection(), _ body: (ReplayItem) throws -> Bool
    ) throws {
        switch self {
        case .journal(let directory):
            try Self.forEachRecord(of: directory, selection, body)
        case .rejections(let path, let all):
            try Self.check(selection, among: Set(all.map { $0.nearest ?? $0.endpoint }))
            let entries = all.filter(selection.takes)
            guard !entries.isEmpty else {
                let wanted = selection.id ?? (all.isEmpty ? nil : "from that time on")
                throw ReplayError.noEntry(path, id: wanted)
            }
            for entry in entries where try !body(ReplayItem(entry)) { return }
        case .files(let paths):
            for path in paths {
                let raw = try FileContents.replayed(path)
                guard let request = CapturedRequest(raw: raw) else {
                    throw ReplayError.notHTTP(path)
                }
                let name = path.split(separator: "/").last.map(String.init) ?? path
                let item = ReplayItem(
                    name: name, request: request,
                    raw: CapturedRequest.isHTTP1(raw: raw) ? raw : nil)
                guard try body(item) else { return }
            }
        }
    }

    /// Throws for an unknown endpoint: a typing mistake must not look like an empty source.
    private static func check(
        _ selection: Selection, among known: Set<String>
    ) throws(ReplayError) {
        guard let endpoint = selection.endpoint, !known.isEmpty, !known.contains(endpoint) else {
            return
        }
        throw .noEndpoint(endpoint, known: known.sorted())
    }

    private struct Enough: Error {}

    private static func forEachRecord(
        of directory: String, _ selection: Selection, _ body: (ReplayItem) throws -> Bool
    ) throws {
        var reader = try JournalReader(directory: directory, after: selection.after)
        var known: Set<String> = []
        var opener = selection.opener
        do {
            _ = try reader.read { sequence, record in
                let event = try RecordDecoder.event(record)
                known.insert(event.endpoint)
                guard selection.endpoint == nil || event.endpoint == selection.endpoint,
                    selection.since.map({ event.received >= $0 }) ?? true
                else { return }
                // Registrations and corrections have no request. One that reported several events
                // is sent once.
                guard event.hasRequest else { return }
                let opened = try opener?.open(record) ?? [UInt8](record)
                let personal = try opened.withUnsafeBytes { try PersonalPart(of: $0) }
                let request =
                    personal == .open ? CapturedRequest(try RecordDecoder.request(opened)) : nil
                var item = ReplayItem(
                    name: "#\(sequence)", endpoint: event.endpoint, provider: event.provider,
                    received: event.received, request: request ?? .none)
                item.personal = personal
                guard try body(item) else { throw Enough() }
            }
            try check(selection, among: known)
        } catch is Enough {}
    }
}

extension ReplaySource.Selection {
    fileprivate func takes(_ entry: RejectionEntry) -> Bool {
        guard endpoint == nil || (entry.nearest ?? entry.endpoint) == endpoint,
            id == nil || entry.id == id
        else { return false }
        guard let since else { return true }
        return entry.receivedTime.map { $0 >= since } ?? false
    }
}

extension ReplayItem {
    fileprivate init(_ entry: RejectionEntry) {
        self.init(
            name: entry.id, endpoint: entry.nearest ?? entry.endpoint,
            provider: entry.provider.isEmpty ? nil : entry.provider, received: entry.receivedTime,
            request: entry.request)
        if entry.lockedBy != nil { personal = .sealed }
        if entry.isErased { personal = .erased }
    }
}

/// One request to resend.
package struct ReplayItem: Sendable {
    /// `#42` for a record of a journal, or the file's name.
    package var name: String
    /// The endpoint that received it, if known.
    package var endpoint: String?
    /// The provider that sent it, if known.
    package var provider: String?
    /// Time of receipt.
    package var received: Timestamp?
    package var request: CapturedRequest
    /// Whether a record's request could be read; else `request` is empty.
    package var personal = PersonalPart.open
    /// The bytes of a file, sent unchanged; nil for a record, which is encoded again.
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

    /// The bytes to send: those received, except for another target and, for a record, the
    /// connection headers, which are not kept.
    ///
    /// - Parameter target: The URL's target; nil keeps the captured one.
    package func bytes(host: String, target: String?) -> [UInt8] {
        guard target == nil, let raw else {
            return request.wireBytes(host: host, target: target)
        }
        return raw
    }
}
