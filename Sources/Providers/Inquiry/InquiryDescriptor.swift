/// How a system is asked about a payment; systems without one cannot be. Its settings are the rows
/// of the descriptor's table with the side `inquiry`.
package struct InquiryDescriptor: Sendable {
    /// The origin that is asked where the configuration names none.
    package let defaultURL: @Sendable (EndpointSettings) -> String

    /// Whether the provider's own ids give surer answers than the merchant's reference.
    package var prefersTransaction = false

    /// Seconds between two questions about one payment, unless the configuration says otherwise.
    package var pauseSeconds = 5.0

    /// - Throws: ``SettingsError`` for settings that it cannot work with; its keys are those of
    ///   `inquiry`.
    package let make: @Sendable (EndpointSettings) throws(SettingsError) -> any Inquirer

    /// The provider's side, played, with the keys of both sides.
    ///
    /// - Throws: ``SettingsError`` where one is missing.
    package let makeResponder: @Sendable (EndpointSettings) throws(SettingsError) -> any Responder
}
