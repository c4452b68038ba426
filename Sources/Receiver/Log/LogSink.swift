import Glibc
import Logging
import Platform
import Synchronization

/// Where log lines go: collected in memory and written by a thread of its own, because a log that
/// nobody reads (a full pipe, a slow terminal) must not hold up a payment notification.
///
/// Lines beyond `bytesMax` of backlog are dropped, counted, and the count is logged. A crash may
/// lose the last few milliseconds of lines; the journal is the record, not the log.
package final class LogSink: Sendable {
    private struct Backlog: ~Copyable {
        var bytes: [UInt8] = []
        var dropped = 0
        var writerWaits = false
        var closed = false
    }

    private let descriptor: Int32
    private let bytesMax: Int
    private let backlog = Mutex(Backlog())
    private let signal: WakeSignal
    private let thread: Mutex<PlatformThread?>

    /// - Parameters:
    ///   - descriptor: standard error, usually; it stays open.
    ///   - bytesMax: the largest backlog.
    package init(descriptor: Int32 = STDERR_FILENO, bytesMax: Int = 8 << 20) {
        self.descriptor = descriptor
        self.bytesMax = bytesMax
        signal = WakeSignal()
        thread = Mutex(nil)
        let started = PlatformThread(name: "ipnd-log") { [self] in writeUntilClosed() }
        thread.withLock { $0 = started }
    }

    /// Adds what `compose` appends: one or more whole lines.
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
        if mustWake { signal.wake() }
    }

    /// Writes what is there and ends the thread.
    package func close() {
        let started = thread.withLock { $0.take() }
        backlog.withLock { $0.closed = true }
        signal.wake()
        started?.join()
    }

    private func writeUntilClosed() {
        var closed = false
        while !closed {
            let bytes: [UInt8] = backlog.withLock { backlog in
                closed = backlog.closed
                if backlog.dropped > 0 {
                    backlog.bytes.append(contentsOf: "\(backlog.dropped) log lines dropped\n".utf8)
                    backlog.dropped = 0
                }
                backlog.writerWaits = backlog.bytes.isEmpty && !closed
                return exchange(&backlog.bytes, with: [])
            }
            if bytes.isEmpty {
                if !closed { signal.wait() }
            } else {
                put(bytes)
                // Lines that come in the next moment share one write.
                if !closed { usleep(20_000) }
            }
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
                usleep(10_000)
            } else if errno != EINTR {
                return
            }
        }
    }
}

/// The swift-log backend: everything that is logged through `Logger` ends in the same sink and
/// format as the notification lines.
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
        var line = LogLine(format, level: event.level.rawValue, message: "\(event.message)")
        let all = metadata.merging(event.metadata ?? [:]) { _, later in later }
        for (key, value) in all.sorted(by: { $0.key < $1.key }) { line.field(key, "\(value)") }
        let bytes = line.finished()
        sink.write { $0.append(contentsOf: bytes) }
    }
}
