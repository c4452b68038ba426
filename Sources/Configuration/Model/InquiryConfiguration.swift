import Providers
import WebClient

/// How an endpoint's provider is asked about a payment.
package struct InquiryConfiguration: Sendable {
    /// The provider's origin: scheme, host and port.
    package var url: WebURL
    /// Holds the credentials: nothing shows it.
    package var inquirer: any Inquirer
    /// How long one request may take.
    package var timeoutSeconds = 20.0
    /// Proxy and authorities. Redirects are never followed.
    package var way = WebRoute()
    /// When it is asked without being told to.
    package var schedule = InquirySchedule()
    /// Where each credential comes from, by its key; never what it is.
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
