import Providers
import WebClient

/// The settings of inquiries to an endpoint's provider about payments.
package struct InquiryConfiguration: Sendable {
    /// The provider's origin: scheme, host and port.
    package var url: WebURL
    /// The inquirer. It holds the credentials, so nothing shows it.
    package var inquirer: any Inquirer
    /// The reader of the provider's list of events; nil where it has none.
    package var lister: (any EventLister)?
    /// The gap in seconds after which the list is read without being asked to; nil for never.
    package var backfillAfterGapSeconds: Double?
    /// Maximum seconds of one request.
    package var timeoutSeconds = 20.0
    /// Proxy and certificate authorities. Redirects are never followed.
    package var route = WebRoute()
    /// The schedule of automatic inquiries.
    package var schedule = InquirySchedule()
    /// The source of each credential, by its key; never the credential itself.
    package var credentialSources: [(key: String, source: SecretSource)]

    package init(
        url: WebURL, inquirer: any Inquirer,
        credentialSources: [(key: String, source: SecretSource)] = []
    ) {
        self.url = url
        self.inquirer = inquirer
        self.credentialSources = credentialSources
    }
}
