import Glibc

/// Finds the process that holds a lock or an address, for the message of a start that fails.
/// Everything is read from /proc (proc_locks(5), proc_net(5)), which may hide other users'
/// processes: then there is no answer.
package enum ProcessSearch {
    /// The process with a flock(2) on a directory or file, such as `process 123 (ipnd)`.
    package static func locking(_ path: String) -> String? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        // `1: FLOCK  ADVISORY  WRITE 1234 fd:01:5678 0 EOF`. The device's number differs from that
        // of stat(2) on some file systems, so the inode and the lock's kind have to do.
        for line in lines("/proc/locks") {
            let words = line.split(separator: " ")
            guard words.count >= 6, words[1] == "FLOCK", let pid = Int32(words[4]), pid > 0,
                words[5].split(separator: ":").last.flatMap({ UInt64($0) })
                    == UInt64(status.st_ino)
            else { continue }
            return described(pid)
        }
        return nil
    }

    /// The process that listens on an address, or on its port at another one.
    package static func listening(on address: SocketAddress) -> String? {
        inodes(of: address).lazy.compactMap { holder(ofSocket: $0) }.first.map(described)
    }

    private static func inodes(of address: SocketAddress) -> [Substring] {
        switch address {
        case .unix(let path):
            // `ffff…: 00000002 00000000 00010000 0001 01 5678 /run/ipnd/ipnd.sock`
            return lines("/proc/net/unix").compactMap { line in
                let words = line.split(separator: " ")
                return words.count == 8 && words[7] == path ? words[6] : nil
            }
        case .ip(_, let port):
            // `0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000 0 0 5678`
            return (lines("/proc/net/tcp") + lines("/proc/net/tcp6")).compactMap { line in
                let words = line.split(separator: " ")
                guard words.count > 9, words[3] == "0A",
                    let digits = words[1].split(separator: ":").last,
                    UInt16(digits, radix: 16) == port
                else { return nil }
                return words[9]
            }
        }
    }

    /// The process that has a socket open.
    private static func holder(ofSocket inode: Substring) -> Int32? {
        let wanted = Array("socket:[\(inode)]".utf8)
        for name in (try? Directory.list("/proc")) ?? [] {
            guard let pid = Int32(name), let descriptors = try? Directory.list("/proc/\(pid)/fd")
            else { continue }
            var target = [UInt8](repeating: 0, count: 64)
            for descriptor in descriptors {
                let count = target.withUnsafeMutableBytes { bytes in
                    bytes.withMemoryRebound(to: CChar.self) {
                        $0.baseAddress.map { start in
                            readlink("/proc/\(pid)/fd/\(descriptor)", start, bytes.count)
                        } ?? 0
                    }
                }
                if count == wanted.count, target.prefix(count).elementsEqual(wanted) { return pid }
            }
        }
        return nil
    }

    private static func described(_ pid: Int32) -> String {
        guard let name = lines("/proc/\(pid)/comm").first else { return "process \(pid)" }
        return "process \(pid) (\(name))"
    }

    /// The lines of a file in /proc; empty if it cannot be read.
    private static func lines(_ path: String) -> [Substring] {
        guard let file = fopen(path, "re") else { return [] }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 65_536)
        while bytes.count < bytesMax {
            let count = fread(&part, 1, part.count, file)
            if count == 0 { break }
            bytes += part.prefix(count)
        }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    }

    private static let bytesMax = 64 << 20
}
