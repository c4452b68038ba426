import Telemetry
import WebClient

extension ConfigurationReader {
    /// Reads `telemetry`.
    func telemetry() -> TelemetryConfiguration? {
        guard let value = root.optional("telemetry"), let section = value.mapping() else {
            return nil
        }
        let place = section.required("url", "write `url: http://127.0.0.1:4318`")
        let url = place?.webURL()
        if let place, let url { check(place, url) }
        let connection = DestinationReader(section: section, endpoints: nil).connection(of: url)
        let signals = section.optional("signals")?.list { $0.choice(Collector.Signal.self) }
        let serviceName = section.optional("serviceName")?.filledText()
        let percent = section.optional("tracesPercent")?.integer(in: 0...100)
        let tracesSeconds = section.optional("tracesSeconds")?.integer(in: 1...3600)
        let metricsSeconds = section.optional("metricsSeconds")?.integer(in: 1...3600)
        let spansMax = section.optional("spansMax")?.integer(in: 1...1_000_000)
        let batchPlace = section.optional("batchMax")
        let batchMax = batchPlace?.integer(in: 1...10_000)
        section.finish()
        guard let url else { return nil }
        var telemetry = TelemetryConfiguration(
            url: url, headers: connection.headers, route: connection.route)
        signals.map {
            telemetry.sendsTraces = $0.contains(.traces)
            telemetry.sendsMetrics = $0.contains(.metrics)
        }
        serviceName.map { telemetry.serviceName = $0 }
        percent.map { telemetry.tracesPercent = $0 }
        tracesSeconds.map { telemetry.tracesSeconds = $0 }
        metricsSeconds.map { telemetry.metricsSeconds = $0 }
        spansMax.map { telemetry.spansMax = $0 }
        batchMax.map { telemetry.batchMax = $0 }
        if telemetry.batchMax > telemetry.spansMax {
            (batchPlace ?? value).mistake(
                "a batch of \(telemetry.batchMax) spans is more than the \(telemetry.spansMax) "
                    + "of `spansMax`", "write a smaller `batchMax`")
        }
        return telemetry
    }

    private func check(_ place: ValueReader, _ url: WebURL) {
        let text = url.withoutQuery
        if place.filledText()?.contains("?") == true {
            place.mistake("has a query", "write the collector's base address: http://host:4318")
        }
        if Collector.Signal.allCases.contains(where: { text.hasSuffix("/v1/\($0.rawValue)") }) {
            place.mistake(
                "is the address of one signal", "leave `/v1/…` out: ipnd appends it for each")
        }
    }
}
