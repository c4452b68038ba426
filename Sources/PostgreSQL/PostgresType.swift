/// The types of parameters, by their object identifiers (pg_type.dat), which are the same on every
/// server.
package enum PostgresType: UInt32, Sendable {
    case bool = 16
    case bytes = 17
    case int8 = 20
    case int2 = 21
    case int4 = 23
    case text = 25
    case timestamp = 1184
    case uuid = 2950

    /// The identifier of the array type.
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

    /// Microseconds from 1970 to 2000, the epoch of binary timestamps.
    static let timestampEpoch: Int64 = 946_684_800_000_000

    /// Some 6,300 years before and after 1970, within the server's range (4713 BC to 294276).
    static let timestampMax: Int64 = 200_000_000_000_000_000
}

extension [UInt8] {
    /// Appends an integer in network byte order, which the protocol uses throughout.
    mutating func append(bigEndian value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }
}
