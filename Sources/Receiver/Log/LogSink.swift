import Glibc
import Logging
import Payments
import Platform
import Synchronization

/// Collects log lines in memory and writes them on a separate thread, because a log that is not
/// read (a full pipe, a slow terminal) must not delay a payment notification.
///
/// Lines beyond `bytesMax` of backlog are dropped and counted, and the count is logged. A crash may
/// lose the lines of the last few milliseconds; the record is the journal, not the log.
package final class LogSink: Sendable {
    private struct Backlog {
        var bytes: [UInt8] = []
        var dropped = 0
        var writerWaits = false
        var closed = false
    }

    /// Pause after a write. The lines of this time share the next write.
    private static let restNanoseconds: UInt64 = 20_000_000

    /// Clock for the lines' times.
    let clock: any Clock
    private let descriptor: Int32
    private let bytesMax: Int
    private let backlog: Monitor<Backlog>
    private let thread: Mutex<PlatformThread?>

    /// - Parameters:
    ///   - descriptor: Usually standard error. It is not closed.
    ///   - bytesMax: Largest size of the backlog.
    package init(
        descriptor: Int32 = STDERR_FILENO, bytesMax: Int = 8 << 20,
        clock: any Clock = SystemClock()
    ) {
        self.descriptor = descriptor
        self.bytesMax = bytesMax
        self.clock = clock
        backlog = Monitor(Backlog(), clock: clock)
        thread = Mutex(nil)
        let started = PlatformThread(name: "ipnd-log") { [self] in writeUntilClosed() }
        thread.withLock { $0 = started }
    }

    /// The present time, for a line.
    var time: Timestamp { Timestamp(microseconds: clock.wallMicroseconds) }

    /// Adds the lines that `compose` appends: one or more, each whole.
    package func write(_ compose: (inout [UInt8]) -> Void) {
        let mustWake = backlog.withLock { backlog in
            guard backlog.bytes.count < bytesMax else {
                backlog.dropped += 1
                return false
            }
            compose(&backlog.bytes)
            defer { backlog.writerWaits = false }
            return backlog.writerWaits
        }
        if mustWake { backlog.wakeOne() }
    }

    /// Writes the backlog and ends the thread.
    package func close() {
        let started = thread.withLock { $0.take() }
        backlog.withLock { $0.closed = true }
        backlog.wakeOne()
        started?.join()
    }

    private func writeUntilClosed() {
        var rest = MonotonicTime(nanoseconds: 0)
        while true {
            let (bytes, closed) = nextBytes(notBefore: rest)
            put(bytes)
            if closed { return }
            rest = clock.now.advanced(nanoseconds: Self.restNanoseconds)
        }
    }

    /// Waits until `time`, and then for a line; returns the backlog and whether it is the last.
    private func nextBytes(notBefore time: MonotonicTime) -> (bytes: [UInt8], closed: Bool) {
        backlog.wait { backlog -> Monitor<Backlog>.Decision<([UInt8], Bool)> in
            if !backlog.closed {
                if clock.now < time { return .wait(until: time) }
                backlog.writerWaits = backlog.bytes.isEmpty && backlog.dropped == 0
                if backlog.writerWaits { return .wait(until: .never) }
            }
            if backlog.dropped > 0 {
                backlog.bytes.append(contentsOf: "\(backlog.dropped) log lines dropped\n".utf8)
                backlog.dropped = 0
            }
            return .go((exchange(&backlog.bytes, with: []), backlog.closed))
        }
    }

    private func put(_ bytes: [UInt8]) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress! + sent, bytes.count - sent)
            }
            if count > 0 {
                sent += count
            } else if errno == EAGAIN {
                var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&entry, 1, -1)
            } else if errno != EINTR {
                return
            }
        }
    }
}

/// The swift-log backend: writes everything logged through `Logger` to the same sink, in the same
/// format as the lines of notifications.
package struct SinkLogHandler: LogHandler {
    package var logLevel: Logger.Level
    package var metadata: Logger.Metadata = [:]
    private let sink: LogSink
    private let format: LogFormat

    package init(sink: LogSink, format: LogFormat, level: Logger.Level) {
        self.sink = sink
        self.format = format
        logLevel = level
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        var line = LogLine(
            format, level: event.level.rawValue, message: "\(event.message)", time: sink.time)
        let all = metadata.merging(event.metadata ?? [:]) { _, later in later }
        for (key, value) in all.sorted(by: { $0.key < $1.key }) { line.field(key, "\(value)") }
        let bytes = line.finished()
        sink.write { $0.append(contentsOf: bytes) }
    }
}
