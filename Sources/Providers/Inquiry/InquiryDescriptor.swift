/// The inquiry part of a provider's descriptor; a provider without one cannot be asked about a
/// payment. Its settings are the rows of the descriptor's table with the side `inquiry`.
package struct InquiryDescriptor: Sendable {
    /// The origin that is asked if the configuration names none.
    package let defaultURL: @Sendable (EndpointSettings) -> String

    /// Whether questions by the provider's own ids are more reliable than by the merchant's
    /// reference.
    package var prefersTransaction = false

    /// Whether it can be asked by the merchant's reference. If not, it is asked by every known id
    /// of the order, one by one.
    package var knowsReferences = true

    /// Whether an inquiry confirms what notifications report. If so, a configured `inquiry` makes
    /// the provider flag their successes as `unconfirmed`, ipnd asks at once, and `ipnd init`
    /// configures none.
    package var confirms = false

    /// Whether answers have the sums that notifications leave out. If so, ipnd asks at once.
    package var namesSums = false

    /// The times of the first questions, before those of the usual schedule.
    package var firstQuestions: [Double] { confirms || namesSums ? [1, 10] : [] }

    /// Seconds between two questions about one payment, unless configured otherwise.
    package var pauseSeconds = 5.0

    /// Creates the inquirer.
    ///
    /// - Throws: ``SettingsError`` for unusable settings; its keys are those of `inquiry`.
    package let make: @Sendable (EndpointSettings) throws(SettingsError) -> any Inquirer

    /// Creates the reader of the provider's list of events; nil where it has none.
    ///
    /// - Throws: as ``make``.
    package var makeLister: (@Sendable (EndpointSettings) throws(SettingsError) -> any EventLister)?

    /// Creates the provider's side of an inquiry, with the keys of both sides.
    ///
    /// - Throws: ``SettingsError`` if one is missing.
    package let makeResponder: @Sendable (EndpointSettings) throws(SettingsError) -> any Responder
}
