import AdminAPI
import HTTPServer
import Platform
import ServerConfiguration

/// Wires the listener on which shoppers' apps ask about their orders.
final class OutcomeModule: Sendable {
    let server: HTTPServer
    private let places: OutcomePlaces
    private let storage: any StorageModule
    private let inquiry: InquiryModule
    private let clock: any Clock

    /// Binds the listener, without accepting connections yet. Throws an exit status after printing
    /// the reason.
    init(
        _ configuration: OutcomeConfiguration, _ settings: ServerSettings,
        storage: any StorageModule, inquiry: InquiryModule,
        inherited: [SocketAddress: ListeningSocket], clock: any Clock
    ) throws {
        self.storage = storage
        self.inquiry = inquiry
        self.clock = clock
        places = OutcomePlaces(
            countMax: configuration.waitsMax, perOrderMax: configuration.waitsPerOrderMax)
        server = try Opening.server(
            settings,
            handler: Self.handler(configuration, storage, inquiry, places: places, clock: clock),
            inherited: inherited)
    }

    /// Applies a reloaded configuration.
    func reload(_ fresh: OutcomeConfiguration, settings: ServerSettings) async {
        places.resize(countMax: fresh.waitsMax, perOrderMax: fresh.waitsPerOrderMax)
        await server.replace(
            settings, handler: Self.handler(fresh, storage, inquiry, places: places, clock: clock))
    }

    private static func handler(
        _ configuration: OutcomeConfiguration, _ storage: any StorageModule,
        _ inquiry: InquiryModule, places: OutcomePlaces, clock: any Clock
    ) -> OutcomeHandler {
        OutcomeHandler(
            store: storage.store, inquiries: inquiry.service, tokens: configuration.tokens,
            allowOrigins: configuration.allowOrigins, places: places, clock: clock)
    }
}

extension OutcomeConfiguration {
    var tokens: OutcomeTokens { OutcomeTokens(secrets: secrets, hours: tokenHours) }
}

extension DescriptorBudget {
    /// The settings of the listener for apps.
    func settings(of outcome: OutcomeConfiguration, in configuration: Configuration)
        -> ServerSettings
    {
        ServerSettings(
            listeners: [outcome.listener.settings], limits: outcomeLimits(configuration.limits))
    }
}
