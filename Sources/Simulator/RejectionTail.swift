import Platform
import SystemPackage

/// The end of a rejection log: a log may have 64 MiB, and who looks at what was refused last shall
/// not wait for all of it.
package enum RejectionTail {
    /// What is read of the log's end at most.
    package static let bytesMax = 1 << 20

    /// The newest entries, the newest first. Empty where the log cannot be read.
    package static func newest(inFolder folder: String, bytesMax: Int = bytesMax)
        -> [RejectionEntry]
    {
        var left = bytesMax
        var entries: [RejectionEntry] = []
        for name in RejectionEntry.fileNames.reversed() where left > 0 {
            let bytes = end(of: "\(folder)/\(name)", bytesMax: left)
            left -= bytes.count
            entries += RejectionEntry.entries(of: bytes).entries.reversed()
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
            let bytes = end(of: "\(folder)/\(name)", bytesMax: .max)
            let line = bytes.split(separator: UInt8(ascii: "\n")).last { $0.starts(with: start) }
            if let entry = line.flatMap(RejectionEntry.init(line:)) { return entry }
        }
        return nil
    }

    /// The file's last bytes, from the beginning of a line on.
    private static func end(of path: String, bytesMax: Int) -> [UInt8] {
        guard let file = try? File(path, for: .reading), let size = try? file.bytes() else {
            return []
        }
        let start = max(0, size - bytesMax)
        let bytes = [UInt8](unsafeUninitializedCapacity: size - start) { buffer, count in
            let area = UnsafeMutableRawBufferPointer(buffer)
            while count < area.count {
                let rest = UnsafeMutableRawBufferPointer(rebasing: area[count...])
                guard let read = try? file.read(into: rest, at: start + count), read > 0 else {
                    return
                }
                count += read
            }
        }
        guard start > 0 else { return bytes }
        return Array(bytes.drop { $0 != UInt8(ascii: "\n") }.dropFirst())
    }
}
