import Logging

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
