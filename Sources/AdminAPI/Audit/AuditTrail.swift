import Bytes
import Cryptography
import Glibc
import JSON
import Platform
import SystemPackage

/// Reads and checks the files of the audit trail.
package enum AuditTrail {
    /// The hash before the first entry.
    package static let firstHash = String(repeating: "0", count: 64)

    private static let prefix = "audit-"
    private static let suffix = ".jsonl"
    /// Larger than any file that ``AuditLog`` writes.
    private static let fileBytesMax = 64 << 20

    /// The name of the file that begins with an entry. The digits sort as the numbers do.
    static func name(of number: UInt64) -> String {
        let digits = String(number)
        return prefix + String(repeating: "0", count: max(0, 12 - digits.count)) + digits + suffix
    }

    /// The names of the files, oldest first; empty without a folder.
    package static func files(in folder: String) -> [String] {
        let names = (try? Directory.list(folder)) ?? []
        return names.filter { $0.hasPrefix(prefix) && $0.hasSuffix(suffix) }.sorted()
    }

    static func size(_ path: String) -> Int? {
        status(path).map { Int($0.st_size) }
    }

    /// The time of the last entry, in seconds.
    static func changed(_ path: String) -> Int64? {
        status(path).map { Int64($0.st_mtim.tv_sec) }
    }

    private static func status(_ path: String) -> stat? {
        var status = stat()
        return stat(path, &status) == 0 ? status : nil
    }

    /// Hex SHA-256 of a line without its end.
    static func hash(of line: ArraySlice<UInt8>) -> String {
        Hex.encode(SHA256.hash(parts: [line]))
    }

    /// The lines of a file, without their ends.
    private static func lines(_ path: String) -> [ArraySlice<UInt8>] {
        guard let contents = try? FileContents(path: path, bytesMax: fileBytesMax) else {
            return []
        }
        return contents.bytes.split(separator: UInt8(ascii: "\n"))
    }

    /// Whether a file is empty or ends with a complete line.
    static func endsWithLine(_ path: String) -> Bool {
        guard let contents = try? FileContents(path: path, bytesMax: fileBytesMax) else {
            return false
        }
        return contents.bytes.last.map { $0 == UInt8(ascii: "\n") } ?? true
    }

    /// The number of the last entry and the hash of its line.
    static func last(in folder: String, of files: [String]) -> (number: UInt64, hash: String)? {
        for name in files.reversed() {
            for line in lines("\(folder)/\(name)").reversed() {
                if let entry = entry(line) { return (entry.number, hash(of: line)) }
            }
        }
        return nil
    }

    private static func entry(_ line: ArraySlice<UInt8>) -> AuditEntry? {
        guard let document = try? JSONDocument(parsing: Array(line)) else { return nil }
        return AuditEntry(json: document.root)
    }

    /// Entries that match, newest first.
    ///
    /// - Parameter number: Only entries before this one.
    package static func newest(
        in folder: String, before number: UInt64 = .max, limit: Int,
        where matches: (AuditEntry) -> Bool = { _ in true }
    ) -> [AuditEntry] {
        var found: [AuditEntry] = []
        for name in files(in: folder).reversed() where found.count < limit {
            for line in lines("\(folder)/\(name)").reversed() where found.count < limit {
                guard let entry = entry(line), entry.number < number, matches(entry) else {
                    continue
                }
                found.append(entry)
            }
        }
        return found
    }

    /// The result of a check.
    package struct Verdict: Equatable, Sendable {
        package var entries = 0
        /// The first and the last number.
        package var first: UInt64?
        package var last: UInt64?
        /// Each problem, with file and line.
        package var problems: [String] = []

        package init() {}
    }

    /// Checks that numbers are consecutive and that each line has the hash of the one before. The
    /// files before the first one may have been removed by age; entries cut off at the end cannot
    /// be noticed, unless a copy elsewhere has them.
    package static func verify(_ folder: String) -> Verdict {
        var verdict = Verdict()
        var before: (number: UInt64, hash: String)?
        for name in files(in: folder) {
            for (index, line) in lines("\(folder)/\(name)").enumerated() {
                let place = "\(name):\(index + 1)"
                guard let entry = entry(line) else {
                    verdict.problems.append("\(place): not a complete entry")
                    continue
                }
                verdict.entries += 1
                if verdict.first == nil { verdict.first = entry.number }
                verdict.last = entry.number
                if let before {
                    if entry.number != before.number + 1 {
                        verdict.problems.append(
                            "\(place): number \(entry.number) follows \(before.number)")
                    } else if entry.previous != before.hash {
                        verdict.problems.append(
                            "\(place): entry \(before.number) was changed after entry "
                                + "\(entry.number) was written")
                    }
                } else if entry.number == 1, entry.previous != firstHash {
                    verdict.problems.append("\(place): the first entry has a predecessor")
                }
                before = (entry.number, hash(of: line))
            }
        }
        return verdict
    }
}
