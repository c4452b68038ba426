import Platform
import SystemPackage

/// The end of a rejection log: a log may have 64 MiB, and who looks at what was refused last shall
/// not wait for all of it.
package enum RejectionTail {
    /// What is read of the log's end in any case, and how many entries there are to be.
    package static let bytesMin = 1 << 20
    package static let entriesMin = 100

    /// The newest entries, the newest first: those in the last `bytesMin` bytes, and as many before
    /// as it takes to have `entriesMin`. Their requests are left out: one alone may have 1 MiB.
    /// Empty where the log cannot be read.
    package static func newest(
        inFolder folder: String, bytesMin: Int = bytesMin, entriesMin: Int = entriesMin
    ) -> [RejectionEntry] {
        var bytesRead = 0
        var entries: [RejectionEntry] = []
        for name in RejectionEntry.fileNames.reversed() {
            guard var lines = LinesFromEnd(of: "\(folder)/\(name)") else { continue }
            while bytesRead < bytesMin || entries.count < entriesMin, let line = lines.next() {
                bytesRead += line.count + 1
                if let entry = RejectionEntry(line: line[...]) {
                    entries.append(entry.withoutRequest)
                }
            }
        }
        return entries
    }

    /// The entry of this id; nil where the log does not have it. Only its own line is read as JSON.
    package static func entry(_ id: String, inFolder folder: String) -> RejectionEntry? {
        let start = Array("{\"id\":\"\(id)\",".utf8)
        // An id is of our own making: nothing else can stand in a line's beginning.
        guard id.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) })
        else { return nil }
        for name in RejectionEntry.fileNames.reversed() {
            let bytes = contents(of: "\(folder)/\(name)")
            let line = bytes.split(separator: UInt8(ascii: "\n")).last { $0.starts(with: start) }
            if let entry = line.flatMap(RejectionEntry.init(line:)) { return entry }
        }
        return nil
    }

    /// The whole file.
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
    /// Where what was read begins.
    private var start: Int
    /// Read and not handed out yet: it ends where the last line that was handed out begins.
    private var rest: [UInt8] = []

    init?(of path: String) {
        guard let file = try? File(path, for: .reading), let size = try? file.bytes() else {
            return nil
        }
        self.file = file
        start = size
    }

    /// The line before the last one, without its newline; nil at the beginning of the file.
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
            // Twice as much each time, so that a long line is not searched again and again.
            let count = min(start, max(Self.portionBytes, rest.count))
            guard let portion = try? file.bytes((start - count)..<start) else { return nil }
            start -= count
            rest = portion + rest
        }
    }
}

extension File {
    /// The bytes at `range`, fewer where the file was cut meanwhile.
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
