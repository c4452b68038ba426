import Bytes
import WebClient

/// The collector that traces and metrics are sent to.
package struct TelemetryConfiguration: Sendable, Equatable {
    /// The collector's base address.
    package var url: WebURL
    package var headers: [Header]
    package var route: WebRoute
    /// The name of the service in what is sent.
    package var serviceName = "ipnd"
    package var sendsTraces = true
    package var sendsMetrics = true
    /// The part of new traces that is recorded, in percent.
    package var tracesPercent = 100
    /// The longest time that a span waits before it is sent.
    package var tracesSeconds = 5
    /// From one sending of the metrics to the next.
    package var metricsSeconds = 30
    /// Spans that wait at most; further ones are dropped and counted.
    package var spansMax = 8192
    /// Spans in one request at most.
    package var batchMax = 512
}
