/// The types that parameters are sent as, by their object identifiers (pg_type.dat), which are the
/// same in every server.
package enum PostgresType: UInt32, Sendable {
    case bool = 16
    case bytes = 17
    case int8 = 20
    case int2 = 21
    case int4 = 23
    case text = 25
    case timestamp = 1184
    case uuid = 2950

    /// The array of it.
    var array: UInt32 {
        switch self {
        case .bool: 1000
        case .bytes: 1001
        case .int2: 1005
        case .int4: 1007
        case .text: 1009
        case .int8: 1016
        case .timestamp: 1185
        case .uuid: 2951
        }
    }

    /// Microseconds from 1970 to 2000, from which binary timestamps count.
    static let timestampEpoch: Int64 = 946_684_800_000_000

    /// Some thousand years on both sides of 1970: within what a server takes (4713 BC to 294276).
    static let timestampMax: Int64 = 200_000_000_000_000_000
}

extension [UInt8] {
    /// In network order, as everything in the protocol.
    mutating func append(bigEndian value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }
}
