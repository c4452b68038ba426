import Platform
import Providers
import TLS
import WebClient

/// Reads `inquiry` of an endpoint.
struct InquiryReader {
    let value: ValueReader
    let section: MappingReader

    /// Reads the section; returns nil after a mistake was reported.
    ///
    /// - Parameters:
    ///   - descriptor: The endpoint's system; nil where it is unknown.
    ///   - settings: The endpoint's own settings, whose credentials some systems also use for
    ///     inquiries. The settings of `inquiry` are added.
    func inquiry(
        _ descriptor: ProviderDescriptor?, _ settings: inout EndpointSettings
    ) -> InquiryConfiguration? {
        let urlPlace = section.optional("url")
        let url = urlPlace?.webURL()
        var reader = SettingsReader(section, side: .inquiry)
        reader.read(descriptor, into: &settings)
        let timeout = section.optional("timeoutSeconds")?.seconds(in: 0.001...600)
        let schedule = schedule(after: descriptor?.inquiry?.firstQuestions ?? [])
        let route = route()
        let backfillPlace = section.optional("backfill")
        let gapSeconds = backfillPlace?.mapping().flatMap { gap(in: $0) }
        section.finish()
        guard let descriptor else { return nil }
        guard let inquiry = descriptor.inquiry else {
            let known = section.reading.providers.list.filter { $0.inquiry != nil }.map(\.name)
            value.mistake(
                "\(descriptor.name) has no call that tells the status of a payment",
                "remove it; there is one for \(known.joined(separator: ", "))")
            return nil
        }
        reader.refuseForeign(
            descriptor, subject: "an inquiry of \(descriptor.name)",
            others: ["url", "timeoutSeconds", "schedule", "proxy", "caFile", "backfill"])
        guard !value.hasMistakes(besides: []),
            let (inquirer, lister) = make(descriptor, inquiry, settings),
            let origin = url ?? (try? WebURL(inquiry.defaultURL(settings)))
        else { return nil }
        check(origin, route, at: urlPlace ?? value)
        if lister == nil, let backfillPlace {
            let known = section.reading.providers.list.filter { $0.inquiry?.makeLister != nil }
            backfillPlace.mistake(
                "\(descriptor.name) has no list of events that ipnd reads",
                "remove it; there is one for \(known.map(\.name).joined(separator: ", "))")
            return nil
        }
        var configuration = InquiryConfiguration(
            url: origin, inquirer: inquirer, credentialSources: reader.sources)
        configuration.lister = lister
        configuration.backfillAfterGapSeconds = gapSeconds
        configuration.route = route
        configuration.schedule = schedule
        timeout.map { configuration.timeoutSeconds = $0 }
        return configuration
    }

    private func make(
        _ descriptor: ProviderDescriptor, _ inquiry: InquiryDescriptor,
        _ settings: EndpointSettings
    ) -> (any Inquirer, (any EventLister)?)? {
        do throws(SettingsError) {
            return (try inquiry.make(settings), try inquiry.makeLister?(settings))
        } catch {
            // The question may need a setting of the endpoint itself.
            let isOwn = !descriptor.keys().contains(error.key)
            let key =
                isOwn
                ? value.key(error.key)
                : String(value.key.dropLast("inquiry".utf8.count)) + error.key
            let place = isOwn ? value.value(at: error.key) : value
            value.reading.report(
                at: place.node.mark, key: key, problem: error.sentence,
                remedy: "config/providers.md says what is needed to ask \(descriptor.name)")
            return nil
        }
    }

    /// A shorter gap is one that the providers' retries bridge; a longer one than 30 days is longer
    /// than any list.
    private func gap(in section: MappingReader) -> Double? {
        let minutes = section.required("afterGapMinutes", "write minutes, as in 10")?
            .integer(in: 1...43_200)
        section.finish()
        return minutes.map { Double($0) * 60 }
    }

    private func route() -> WebRoute {
        var route = WebRoute()
        section.optional("proxy").flatMap { $0.webProxy() }.map { route.proxy = $0 }
        if let place = section.optional("caFile"), let file = place.path() {
            route.caFile = file
            do throws(TLSError) { _ = try TLSClient(trust: .file(file)) } catch {
                var problem = "\(error)"
                if problem.hasSuffix(".") { problem.removeLast() }
                place.mistake(problem, error.remedy)
            }
        }
        return route
    }

    /// Checks the origin. The credentials can often also charge and refund, so they are only sent
    /// over TLS.
    private func check(_ url: WebURL, _ route: WebRoute, at place: ValueReader) {
        if url.target != "/" {
            place.mistake(
                "has a path or a query, which are the provider's own",
                "write scheme and host only: \(url.origin)")
        }
        let isLocal =
            url.host == "localhost"
            || url.address.map { SocketAddress.ip($0, port: url.port).isLocal } == true
        if !url.usesTLS, !isLocal {
            place.mistake(
                "credentials would be sent unencrypted", "use https; http is for this machine only")
        }
        if let address = url.address, let refusal = route.addresses.refusal(of: address) {
            place.mistake("\(refusal), which is not called", "write the provider's own host")
        }
    }
}

extension InquiryConfiguration {
    /// The inquiry of an endpoint without `inquiry:` whose provider has to be asked; nil after a
    /// mistake was reported.
    static func usual(
        _ descriptor: ProviderDescriptor, _ settings: EndpointSettings, at endpoint: ValueReader
    ) -> InquiryConfiguration? {
        guard let inquiry = descriptor.inquiry,
            let url = try? WebURL(inquiry.defaultURL(settings))
        else { return nil }
        do throws(SettingsError) {
            var configuration = InquiryConfiguration(
                url: url, inquirer: try inquiry.make(settings), credentialSources: [])
            // The provider waits for its own answer meanwhile.
            configuration.timeoutSeconds = 10
            return configuration
        } catch {
            endpoint.reading.report(
                at: endpoint.value(at: error.key).node.mark, key: endpoint.key(error.key),
                problem: error.sentence,
                remedy: "config/providers.md says what is needed to ask \(descriptor.name)")
            return nil
        }
    }
}
