import Glibc
import TestSupport
import Testing

@testable import Receiver

@Suite(.ownThreads) struct LogSinkTests {
    private let clock = ManualClock()
    private let reading: Int32
    private let writing: Int32

    init() {
        var ends: [Int32] = [-1, -1]
        precondition(pipe(&ends) == 0)
        (reading, writing) = (ends[0], ends[1])
    }

    private func sink(bytesMax: Int = 1 << 20) -> LogSink {
        LogSink(descriptor: writing, bytesMax: bytesMax, clock: clock)
    }

    private func write(_ text: String, to sink: LogSink) {
        sink.write { $0.append(contentsOf: text.utf8) }
    }

    /// Returns the bytes of one read.
    private func read() -> String {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = Glibc.read(reading, &bytes, bytes.count)
        return String(decoding: bytes[..<max(0, count)], as: UTF8.self)
    }

    private var isEmpty: Bool {
        var entry = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) == 0
    }

    private func closePipe() {
        Glibc.close(reading)
        Glibc.close(writing)
    }

    @Test func `lines soon after a write share the next one`() async {
        defer { closePipe() }
        let sink = sink()
        write("a\n", to: sink)
        #expect(read() == "a\n")
        let end = clock.now.advanced(nanoseconds: 20_000_000)
        #expect(await eventuallyYielding { clock.nextDeadline == end })
        write("b\n", to: sink)
        write("c\n", to: sink)
        clock.advance(milliseconds: 19)
        #expect(isEmpty)
        clock.advance(milliseconds: 1)
        #expect(read() == "b\nc\n")
        write("d\n", to: sink)
        // Does not wait for the clock, which the test has stopped.
        sink.close()
        #expect(read() == "d\n")
    }

    @Test func `lines beyond the backlog are counted`() async {
        defer { closePipe() }
        let sink = sink(bytesMax: 4)
        write("a\n", to: sink)
        #expect(read() == "a\n")
        let end = clock.now.advanced(nanoseconds: 20_000_000)
        #expect(await eventuallyYielding { clock.nextDeadline == end })
        for text in ["b\n", "c\n", "d\n"] { write(text, to: sink) }
        sink.close()
        #expect(read() == "b\nc\n1 log lines dropped\n")
    }

    /// Standard error may be a pipe that another process made non-blocking.
    @Test func `the sink waits for a full pipe`() {
        defer { closePipe() }
        _ = fcntl(writing, F_SETFL, O_NONBLOCK)
        let sink = sink()
        let line = String(repeating: "x", count: 499_999) + "\n"
        write(line, to: sink)
        var received = ""
        while received.utf8.count < line.utf8.count { received += read() }
        #expect(received == line)
        sink.close()
    }
}
