import HTTP

/// What the admin listener tells of the server itself.
package struct AdminPages: Sendable {
    /// Whether notifications are accepted: false from the beginning of a shutdown.
    let isReady: @Sendable () -> Bool
    /// The page in the Prometheus text format.
    let metrics: @Sendable () async -> [UInt8]

    package init(
        isReady: @escaping @Sendable () -> Bool, metrics: @escaping @Sendable () async -> [UInt8]
    ) {
        self.isReady = isReady
        self.metrics = metrics
    }

    func metricsResponse() async -> Response {
        Response(
            status: 200, fields: [("Content-Type", "text/plain; version=0.0.4")],
            body: await metrics())
    }
}
