/// Which of several instances asks an endpoint's provider.
package protocol InquiryTurns: Sendable {
    /// Whether this instance asks from now on; false while another one does.
    ///
    /// - Parameter onLoss: Called once, from any thread, when it does no longer.
    func take(_ endpoint: String, onLoss: @escaping @Sendable () -> Void)
        async
        throws(InquiryTurnFailure) -> Bool

    /// Whether this instance surely still asks. Cheap.
    func holds(_ endpoint: String) -> Bool

    /// Another instance may ask at once.
    func release(_ endpoint: String) async
}

/// Who asks cannot be found out at present.
package struct InquiryTurnFailure: Error, Sendable, Equatable {
    package let reason: String

    package init(_ reason: String) { self.reason = reason }
}

/// There is one instance only.
package struct OnlyInstance: InquiryTurns {
    package init() {}

    package func take(_ endpoint: String, onLoss: @escaping @Sendable () -> Void) -> Bool { true }
    package func holds(_ endpoint: String) -> Bool { true }
    package func release(_ endpoint: String) {}
}
