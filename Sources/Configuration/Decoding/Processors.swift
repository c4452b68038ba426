import Platform

/// How many processors this process may run on.
enum Processors {
    /// The processors that the scheduler may give this process, as `/proc/self/status` tells them
    /// (proc(5)): fewer than the machine has in a container or under `taskset`, which
    /// `sysconf(_SC_NPROCESSORS_ONLN)` would not know.
    static func usable() -> Int {
        guard let contents = try? FileContents(path: "/proc/self/status", bytesMax: 65_536) else {
            return 1
        }
        return usable(status: String(decoding: contents.bytes, as: UTF8.self)) ?? 1
    }

    /// Counts the bits of the line `Cpus_allowed:`, words of 32 bits in hex, joined by commas.
    static func usable(status: String) -> Int? {
        let name = "Cpus_allowed:"
        guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix(name) }) else {
            return nil
        }
        let digits = line.dropFirst(name.count).compactMap(\.hexDigitValue)
        let count = digits.reduce(0) { $0 + $1.nonzeroBitCount }
        return count > 0 ? count : nil
    }
}
