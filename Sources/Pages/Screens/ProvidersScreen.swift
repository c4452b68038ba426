import AdminAPI
import HTTP
import Providers
import ServerConfiguration

/// The endpoints: their paths, keys, last notifications and refusals.
struct ProvidersScreen {
    let endpoints: [EndpointConfiguration]
    /// Whether other instances record into the same store.
    let hasOtherInstances: Bool

    func page(_ visit: PageVisit) async throws(Problem) -> Response {
        let metrics = await visit.api.metrics()
        let last = await LastNotifications.read(
            of: endpoints.map(\.name), metrics, hasOtherInstances: hasOtherInstances, visit)
        let cards = endpoints.map { endpoint in
            var card = card(endpoint, metrics)
            card["last"] = last.values(of: endpoint.name)
            return card
        }
        return visit.page("providers", .providers, ["endpoints": cards])
    }

    private func card(
        _ endpoint: EndpointConfiguration, _ metrics: MetricsReading
    ) -> PageValues {
        let name = "ipnd_notifications_total"
        func count(_ outcome: String) -> Int {
            Int(metrics.sum(name, where: ["endpoint": endpoint.name, "outcome": outcome]))
        }
        let refused = count("refused")
        let all = Int(metrics.sum(name, where: ["endpoint": endpoint.name]))
        return [
            "name": endpoint.name, "path": endpoint.path,
            "title": endpoint.descriptor.title,
            "publicPath": endpoint.publicPath == endpoint.path ? "" : endpoint.publicPath,
            "fingerprints": endpoint.fingerprints.map {
                ["name": $0.name, "digits": $0.digits] as PageValues
            },
            "hasFingerprints": !endpoint.fingerprints.isEmpty,
            "secrets": endpoint.secretSources.map(\.description).joined(separator: ", "),
            "networks": endpoint.allow.map(\.description).joined(separator: ", "),
            "isAsked": endpoint.inquiry != nil,
            "received": PageText.count(all), "refused": PageText.count(refused),
            "rate": all == 0
                ? "–" : "\(PageText.decimal(100 * Double(all - refused) / Double(all))) %",
            "isWarning": refused > 0,
            "rejections": FormFields.query([("endpoint", endpoint.name)]),
            "curl": Self.curl(endpoint),
        ]
    }

    /// A command that sends a request without a signature. The answer 401 proves that the path
    /// leads to ipnd.
    private static func curl(_ endpoint: EndpointConfiguration) -> String {
        "curl -i -X POST -H 'Content-Type: application/json' -d '{}' "
            + "https://YOUR-HOST\(endpoint.publicPath)"
    }
}
