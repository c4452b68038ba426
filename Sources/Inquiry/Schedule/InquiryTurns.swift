/// Decides which of several instances asks an endpoint's provider.
package protocol InquiryTurns: Sendable {
    /// Takes the endpoint for this instance; returns false while another instance has it.
    ///
    /// - Parameter onLoss: Called once, from any thread, when this instance has lost it.
    func take(_ endpoint: String, onLoss: @escaping @Sendable () -> Void)
        async
        throws(InquiryTurnFailure) -> Bool

    /// Whether this instance certainly still has the endpoint. Cheap.
    func holds(_ endpoint: String) -> Bool

    /// Gives up the endpoint, so that another instance can take it at once.
    func release(_ endpoint: String) async
}

/// The database that decides cannot be reached.
package struct InquiryTurnFailure: Error, Sendable, Equatable {
    package let reason: String

    package init(_ reason: String) { self.reason = reason }
}

/// The only instance, which asks every provider.
package struct OnlyInstance: InquiryTurns {
    package init() {}

    package func take(_ endpoint: String, onLoss: @escaping @Sendable () -> Void) -> Bool { true }
    package func holds(_ endpoint: String) -> Bool { true }
    package func release(_ endpoint: String) {}
}
