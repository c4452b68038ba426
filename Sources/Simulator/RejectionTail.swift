import Platform
import Sealing
import SystemPackage

/// The end of a rejection log, read without the rest: a log may have 64 MiB.
package enum RejectionTail {
    /// Minimum of bytes read from the end of the log, and of entries returned.
    package static let bytesMin = 1 << 20
    package static let entriesMin = 100

    /// The newest entries, newest first: those in the last `bytesMin` bytes, and earlier ones up to
    /// `entriesMin`. Their requests, of up to 1 MiB each, are left out. Empty if the log cannot be
    /// read.
    package static func newest(
        inFolder folder: String, seal: SideSeal, bytesMin: Int = bytesMin,
        entriesMin: Int = entriesMin
    ) -> [RejectionEntry] {
        var bytesRead = 0
        var entries: [RejectionEntry] = []
        for name in RejectionEntry.fileNames.reversed() {
            guard var lines = LinesFromEnd(of: "\(folder)/\(name)") else { continue }
            while bytesRead < bytesMin || entries.count < entriesMin, let line = lines.next() {
                bytesRead += line.count + 1
                if let entry = RejectionEntry(line: line[...], seal: seal) {
                    entries.append(entry.withoutRequest)
                }
            }
        }
        return entries
    }

    /// The entry with this id; nil if there is none. Only its line is parsed.
    package static func entry(
        _ id: String, inFolder folder: String, seal: SideSeal
    ) -> RejectionEntry? {
        let start = Array("{\"id\":\"\(id)\",".utf8)
        // Ids are generated, so other characters cannot occur.
        guard id.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) })
        else { return nil }
        for name in RejectionEntry.fileNames.reversed() {
            let bytes = contents(of: "\(folder)/\(name)")
            let line = bytes.split(separator: UInt8(ascii: "\n")).last { $0.starts(with: start) }
            if let entry = line.flatMap({ RejectionEntry(line: $0, seal: seal) }) { return entry }
        }
        return nil
    }

    /// The contents of a file.
    private static func contents(of path: String) -> [UInt8] {
        guard let file = try? File(path, for: .reading), let size = try? file.bytes() else {
            return []
        }
        return (try? file.bytes(0..<size)) ?? []
    }
}

/// The lines of a file from its end, read in portions.
private struct LinesFromEnd {
    private static let portionBytes = 1 << 18

    private let file: File
    /// Offset of the first byte read so far.
    private var start: Int
    /// Bytes read and not yet returned; they end where the last returned line begins.
    private var rest: [UInt8] = []

    init?(of path: String) {
        guard let file = try? File(path, for: .reading), let size = try? file.bytes() else {
            return nil
        }
        self.file = file
        start = size
    }

    /// The preceding line, without its newline; nil at the beginning of the file.
    mutating func next() -> [UInt8]? {
        while true {
            if let end = rest.dropLast().lastIndex(of: UInt8(ascii: "\n")) {
                let line = Array(rest[(end + 1)...])
                rest.removeLast(line.count)
                return line.last == UInt8(ascii: "\n") ? line.dropLast() : line
            }
            guard start > 0 else {
                defer { rest = [] }
                return rest.isEmpty
                    ? nil : rest.last == UInt8(ascii: "\n") ? rest.dropLast() : rest
            }
            // Doubles each time, so that a long line is not searched repeatedly.
            let count = min(start, max(Self.portionBytes, rest.count))
            guard let portion = try? file.bytes((start - count)..<start) else { return nil }
            start -= count
            rest = portion + rest
        }
    }
}

extension File {
    /// The bytes at `range`, fewer if the file was truncated meanwhile.
    fileprivate func bytes(_ range: Range<Int>) throws(Errno) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: range.count)
        var count = 0
        while count < bytes.count {
            var failure: Errno?
            let read = bytes.withUnsafeMutableBytes { buffer -> Int in
                do throws(Errno) {
                    return try self.read(
                        into: UnsafeMutableRawBufferPointer(rebasing: buffer[count...]),
                        at: range.lowerBound + count)
                } catch {
                    failure = error
                    return 0
                }
            }
            if let failure { throw failure }
            guard read > 0 else { break }
            count += read
        }
        return Array(bytes[..<count])
    }
}
