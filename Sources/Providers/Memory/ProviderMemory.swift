/// Facts that providers keep from one request to the next, for all endpoints of a process.
/// Verifying reads it and never changes it.
package final class ProviderMemory: Sendable {
    package let certificates: CertificateCache
    package let transmissions: TransmissionMemory

    package init(
        certificates: CertificateCache = CertificateCache(),
        transmissions: TransmissionMemory = TransmissionMemory()
    ) {
        self.certificates = certificates
        self.transmissions = transmissions
    }
}
