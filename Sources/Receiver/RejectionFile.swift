import Bytes
import Glibc
import JSON
import Payments
import Records
import Sealing
import SystemPackage

/// One file of the rejection log, while entries are erased from it.
struct RejectionFile {
    private let path: String

    init(_ path: String) { self.path = path }

    /// Puts the lines that `change` returns in the place of theirs, all or none, and overwrites the
    /// old file in its place. Returns the number of changed lines; 0 where there is no file.
    func rewrite(_ change: (ArraySlice<UInt8>) -> [UInt8]?) throws(Errno) -> Int {
        guard let old = try content() else { return 0 }
        var fresh: [UInt8] = []
        fresh.reserveCapacity(old.count)
        var count = 0
        for line in old.split(separator: UInt8(ascii: "\n")) {
            if let changed = change(line) {
                count += 1
                fresh += changed
            } else {
                fresh += line
            }
            fresh.append(UInt8(ascii: "\n"))
        }
        guard count > 0 else { return 0 }
        let temporary = path + ".tmp"
        try write(fresh, to: temporary, O_CREAT | O_TRUNC)
        let former = Glibc.open(path, O_WRONLY | O_CLOEXEC)
        defer { if former >= 0 { Glibc.close(former) } }
        guard rename(temporary, path) == 0 else { throw Errno(rawValue: errno) }
        if former >= 0 {
            let zeros = [UInt8](repeating: 0, count: old.count)
            _ = pwrite(former, zeros, zeros.count, 0)
            _ = fsync(former)
        }
        return count
    }

    private func content() throws(Errno) -> [UInt8]? {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        if descriptor < 0 {
            if errno == ENOENT { return nil }
            throw Errno(rawValue: errno)
        }
        defer { Glibc.close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Errno(rawValue: errno) }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        var count = 0
        while count < bytes.count {
            let read = bytes.withUnsafeMutableBytes {
                Glibc.read(descriptor, $0.baseAddress! + count, $0.count - count)
            }
            if read < 0 { throw Errno(rawValue: errno) }
            if read == 0 { break }
            count += read
        }
        return Array(bytes[..<count])
    }

    private func write(_ bytes: [UInt8], to path: String, _ flags: Int32) throws(Errno) {
        let descriptor = Glibc.open(path, O_WRONLY | O_CLOEXEC | flags, 0o600)
        guard descriptor >= 0 else { throw Errno(rawValue: errno) }
        defer { Glibc.close(descriptor) }
        var place = 0
        while place < bytes.count {
            let written = bytes.withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress! + place, $0.count - place)
            }
            if written < 0 { throw Errno(rawValue: errno) }
            place += written
        }
        guard fsync(descriptor) == 0 else { throw Errno(rawValue: errno) }
    }
}

/// A line of the log that has a personal part.
struct ErasableEntry {
    private let line: [UInt8]
    /// Where the personal part begins, with the comma before it.
    private let start: Int
    /// The sealed personal part, as it is in the line; nil where it is open.
    private let sealed: (master: String, box: String)?
    private let id: [UInt8]
    let received: Timestamp?

    /// Nil for a line without a personal part.
    init?(_ bytes: ArraySlice<UInt8>) {
        line = Array(bytes)
        guard let root = try? JSONDocument(parsing: line, limits: .trusted).root,
            let id = root["id"]?.string
        else { return nil }
        received = root["received"]?.string.flatMap { Timestamp(iso8601: $0) }
        self.id = Array(id.utf8)
        if let member = root["sealed"] {
            guard let master = member["master"]?.string, let box = member["bytes"]?.string else {
                return nil
            }
            sealed = (master, box)
        } else {
            sealed = nil
        }
        let mark = sealed == nil ? #","client":"# : #","sealed":"#
        guard let start = line.firstRange(of: Array(mark.utf8))?.lowerBound else { return nil }
        self.start = start
    }

    /// Its request; nil where that is sealed, and its key is not here.
    func request(_ seal: SideSeal) -> RecordedRequest? {
        let plain =
            sealed.map { seal.open(master: $0.master, box: $0.box, bound: id) } ?? line
        return plain.flatMap { try? RecordDecoder.request($0) }
    }

    /// The line without it.
    var erased: [UInt8] { line[..<start] + Array(#","erased":true}"#.utf8) }
}

/// The words that name an order.
struct ErasedWords {
    /// Each as it is, and as a form or a query writes it.
    private let words: [[UInt8]]

    init(_ words: [String]) {
        self.words = words.filter { !$0.isEmpty }.flatMap { word in
            let plain = Array(word.utf8)
            // `{"":"…"}`
            let quoted = JSONWriter.object { $0.member("", word) }.dropFirst(5).dropLast(2)
            return [plain, Array(PercentEncoding.encode(plain).utf8), Array(quoted)]
        }
    }

    /// Whether the entry's request has one of the words. That of a sealed entry without its key is
    /// not known.
    func name(_ entry: ErasableEntry, _ seal: SideSeal) -> Bool {
        entry.request(seal).map { names($0) } ?? false
    }

    private func names(_ request: RecordedRequest) -> Bool {
        request.parts.contains { part in words.contains { Self.has($0, in: part) } }
    }

    /// Whether `word` is in `bytes` as a whole word: not as a part of a longer number or name.
    private static func has(_ word: [UInt8], in bytes: ArraySlice<UInt8>) -> Bool {
        var rest = bytes
        while let found = rest.firstRange(of: word) {
            let before = bytes[..<found.lowerBound].last
            let after = bytes[found.upperBound...].first
            if !isWord(before) && !isWord(after) { return true }
            rest = bytes[(found.lowerBound + 1)...]
        }
        return false
    }

    private static func isWord(_ byte: UInt8?) -> Bool {
        guard let byte else { return false }
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            return true
        default: return false
        }
    }
}

extension RecordedRequest {
    /// Everything in which a name can be.
    fileprivate var parts: [ArraySlice<UInt8>] {
        [target, body[...]] + headers.map { Array($0.value)[...] }
    }
}
