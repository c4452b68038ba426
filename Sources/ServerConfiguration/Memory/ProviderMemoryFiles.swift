import Glibc
import Platform
import Providers
import Synchronization
import SystemPackage

/// The files in which a ``ProviderMemory`` outlives the process, in a directory beside the journal.
/// Deleting them costs a fetch of each certificate, and for four days the refusal of transmissions
/// that come again with another body.
package struct ProviderMemoryFiles: Sendable {
    private static let certificateBytesMax = 4 << 20
    private static let marker = "URL: "
    /// Two hashes of 16 bytes.
    private static let entryBytes = 32

    /// The absolute path.
    package let directory: String

    package init(directory: String) { self.directory = directory }

    private var certificates: String { "\(directory)/certificates.pem" }
    private var transmissions: String { "\(directory)/transmissions" }

    // MARK: Certificates

    /// Adds the certificates that were kept.
    package func load(into cache: CertificateCache) {
        guard
            let contents = try? FileContents(
                path: certificates, bytesMax: Self.certificateBytesMax)
        else { return }
        var url: Substring?
        var pem = ""
        for line in String(decoding: contents.bytes, as: UTF8.self).split(separator: "\n") {
            if line.hasPrefix(Self.marker) {
                url = line.dropFirst(Self.marker.utf8.count)
                pem = ""
                continue
            }
            pem += line + "\n"
            if line.hasPrefix("-----END"), let url { cache.add(pem, at: String(url)) }
        }
    }

    /// Adds a certificate to the file. A later one for the same URL takes its place.
    package func keep(_ pem: String, at url: String) {
        try? PrivateFile.makeFolder(directory)
        let descriptor = open(certificates, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let text = Array("\(Self.marker)\(url)\n\(pem)\(pem.hasSuffix("\n") ? "" : "\n")".utf8)
        guard write(descriptor, text, text.count) == text.count else { return }
        fsync(descriptor)
    }

    // MARK: Transmissions

    /// Adds the transmissions that were kept, and keeps those that follow.
    ///
    /// - Parameter failed: Called once, with the reason, if they cannot be kept.
    package func connect(
        _ memory: TransmissionMemory, failed: @escaping @Sendable (Errno) -> Void
    ) {
        let entries =
            Self.entries(path: "\(transmissions).previous") + Self.entries(path: transmissions)
        let present = Mutex<Int32?>(nil)
        memory.connect(entries) { [self] entry, startsGeneration in
            present.withLock { descriptor in
                if startsGeneration, let old = descriptor {
                    close(old)
                    descriptor = nil
                    rename(transmissions, "\(transmissions).previous")
                }
                let file = descriptor ?? openTransmissions()
                descriptor = file
                var bytes: [UInt8] = []
                for hash in [entry.id, entry.body] {
                    withUnsafeBytes(of: hash.littleEndian) { bytes += $0 }
                }
                guard file >= 0, write(file, bytes, bytes.count) != bytes.count else { return }
                failed(Errno(rawValue: errno))
                close(file)
                descriptor = -1
            }
        }
        present.withLock { descriptor in
            let file = openTransmissions()
            if file < 0 { failed(Errno(rawValue: errno)) }
            descriptor = file
        }
    }

    /// Opens the file at the end of its last whole entry; negative where it cannot be.
    private func openTransmissions() -> Int32 {
        try? PrivateFile.makeFolder(directory)
        let descriptor = open(transmissions, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return descriptor }
        let end = lseek(descriptor, 0, SEEK_END)
        if end % off_t(Self.entryBytes) != 0 {
            ftruncate(descriptor, end - end % off_t(Self.entryBytes))
        }
        return descriptor
    }

    private static func entries(path: String) -> [TransmissionMemory.Entry] {
        guard let bytes = try? FileContents(path: path, bytesMax: 256 << 20).bytes else {
            return []
        }
        return bytes.withUnsafeBytes { bytes in
            stride(from: 0, through: bytes.count - entryBytes, by: entryBytes).map { offset in
                func hash(_ offset: Int) -> UInt128 {
                    UInt128(
                        littleEndian: bytes.loadUnaligned(
                            fromByteOffset: offset, as: UInt128.self))
                }
                return TransmissionMemory.Entry(id: hash(offset), body: hash(offset + 16))
            }
        }
    }
}
