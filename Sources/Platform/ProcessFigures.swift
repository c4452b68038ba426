import Glibc

/// The kernel's figures about this process (proc(5)).
package struct ProcessFigures: Equatable, Sendable {
    /// Time in user and kernel mode, in nanoseconds.
    package let processorNanoseconds: UInt64
    package let virtualBytes: Int
    package let residentBytes: Int
    package let threads: Int
    /// Start time in seconds since 1970-01-01T00:00:00Z, by the present wall clock.
    package let started: Int
    package let openDescriptors: Int
    package let descriptorsMax: Int

    /// Reads the figures; nil without `/proc`.
    package static func read() -> ProcessFigures? {
        guard let contents = try? FileContents(path: "/proc/self/stat", bytesMax: 4096) else {
            return nil
        }
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let now = WallClock.microseconds() / 1_000_000
        let sinceBoot = KernelClock.nanoseconds(CLOCK_BOOTTIME) / 1_000_000_000
        return ProcessFigures(
            stat: String(decoding: contents.bytes, as: UTF8.self),
            booted: Int(now) - Int(sinceBoot),
            processorNanoseconds: ProcessorTime.nanoseconds(),
            openDescriptors: descriptorCount(), descriptorsMax: Int(clamping: limit.rlim_cur))
    }

    /// - Parameter stat: The line of `/proc/PID/stat`. The program's name is in parentheses and may
    ///   contain spaces and parentheses; the fields are counted after the last parenthesis.
    init?(
        stat: String, booted: Int, processorNanoseconds: UInt64, openDescriptors: Int,
        descriptorsMax: Int
    ) {
        guard let end = stat.lastIndex(of: ")") else { return nil }
        // The first one is field 3 of the manual page, the state.
        let fields = stat[end...].dropFirst().split { $0 == " " || $0 == "\n" }
        guard fields.count > 21, let threads = Int(fields[17]), let ticks = Int(fields[19]),
            let virtual = Int(fields[20]), let pages = Int(fields[21])
        else { return nil }
        self.processorNanoseconds = processorNanoseconds
        self.threads = threads
        started = booted + ticks / max(1, sysconf(Int32(_SC_CLK_TCK)))
        virtualBytes = virtual
        residentBytes = pages * sysconf(Int32(_SC_PAGESIZE))
        self.openDescriptors = openDescriptors
        self.descriptorsMax = descriptorsMax
    }

    private static func descriptorCount() -> Int {
        guard let folder = opendir("/proc/self/fd") else { return 0 }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        // Excludes `.`, `..` and the folder's own descriptor.
        return max(0, count - 3)
    }
}
