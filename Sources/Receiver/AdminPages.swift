import HTTP

/// What the admin listener tells of the server itself.
package struct AdminPages: Sendable {
    /// Whether notifications are accepted: false from the beginning of a shutdown.
    package var isReady: @Sendable () -> Bool
    private let metrics: Metrics
    /// Adds the figures that live elsewhere: the store's, the server's.
    private let more: @Sendable (inout MetricsPage) -> Void

    package init(
        metrics: Metrics, isReady: @escaping @Sendable () -> Bool,
        more: @escaping @Sendable (inout MetricsPage) -> Void
    ) {
        self.metrics = metrics
        self.isReady = isReady
        self.more = more
    }

    func metricsResponse() -> Response {
        var page = MetricsPage()
        metrics.write(to: &page)
        more(&page)
        return Response(
            status: 200, fields: [("Content-Type", "text/plain; version=0.0.4")],
            body: Array(page.text.utf8))
    }
}
