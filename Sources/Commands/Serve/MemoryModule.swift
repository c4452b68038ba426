import Bytes
import Logging
import Platform
import Providers
import ServerConfiguration
import Synchronization
import WebClient

/// Wires the memory of providers: fetches certificates, and keeps them and the transmissions in
/// files.
final class MemoryModule: Sendable {
    /// Created for the first fetch, because most servers need none.
    private let client = Mutex<WebClient?>(nil)
    private let isConnected = Mutex(false)
    private let logger: Logger

    init(_ configuration: Configuration, logger: Logger) {
        self.logger = logger
        connect(configuration)
    }

    /// Connects the memory, once an endpoint verifies by certificates that are published.
    func connect(_ configuration: Configuration) {
        guard configuration.verifiesByCertificates,
            isConnected.withLock({
                let before = $0; $0 = true; return !before
            })
        else { return }
        let files = configuration.memoryFiles
        let memory = configuration.memory
        files.connect(memory.transmissions) { [logger] error in
            logger.warning(
                """
                \(files.directory): \(error); transmissions that come again with another body are \
                refused only until the next restart
                """)
        }
        memory.certificates.connect(
            executor: WorkerPool.shared,
            fetch: { [weak self] url in await self?.fetch(url) },
            keep: { [logger] url, pem in
                logger.info("fetched the certificate \(url)")
                files.keep(pem, at: url)
            })
    }

    /// The certificate at a URL, whose host and path its provider checked; nil where it cannot be
    /// had. Redirects are not followed.
    private func fetch(_ text: String) async -> String? {
        var limits = WebLimits()
        limits.connectMillisecondsMax = 3000
        limits.exchangeMillisecondsMax = 6000
        limits.keptBytesMax = 64 << 10
        limits.bodyBytesMax = 64 << 10
        let client = client.withLock { client in
            let made = client ?? WebClient()
            client = made
            return made
        }
        do {
            let url = try WebURL(text)
            let response = try await client.send(
                WebRequest(
                    "GET", url, headers: [Header("accept", "application/x-pem-file")],
                    limits: limits))
            let body = String(decoding: response.body, as: UTF8.self)
            if response.status == 200, body.contains("-----BEGIN CERTIFICATE-----") { return body }
            logger.warning("certificate \(text): status \(response.status), no certificate")
        } catch {
            logger.warning("certificate \(text): \(error)")
        }
        return nil
    }

    func stop() { client.withLock { $0 }?.close() }
}
