import COpenSSL

/// A copy of secret bytes that is wiped with the last reference.
///
/// `@unchecked Sendable` is sound: the memory is written only in `init` and `deinit`, when it is
/// not shared.
final class SecretBytes: @unchecked Sendable {
    private let memory: UnsafeMutableBufferPointer<UInt8>

    init(_ bytes: [UInt8]) {
        memory = .allocate(capacity: bytes.count)
        _ = memory.initialize(from: bytes)
    }

    var count: Int { memory.count }

    deinit {
        OPENSSL_cleanse(memory.baseAddress, memory.count)
        memory.deallocate()
    }

    func withBytes<Result>(_ body: (UnsafePointer<UInt8>?) -> Result) -> Result {
        body(UnsafePointer(memory.baseAddress))
    }
}
