import CPostgreSQL

/// The result of a statement: rows with binary values.
package final class PostgresResult {
    private let handle: OpaquePointer

    /// Takes ownership of the result.
    package init(_ handle: OpaquePointer) { self.handle = handle }

    deinit { PQclear(handle) }

    package var rowCount: Int { Int(PQntuples(handle)) }

    /// The command tag: `COMMIT`, or `ROLLBACK` if the transaction had failed.
    package var tag: String { String(cString: PQcmdStatus(handle)) }

    /// Number of inserted, updated or deleted rows.
    package var affectedCount: Int { Int(String(cString: PQcmdTuples(handle))) ?? 0 }

    package func isNull(_ row: Int, _ column: Int) -> Bool {
        PQgetisnull(handle, Int32(row), Int32(column)) != 0
    }

    /// An integer of any width, or a boolean as 0 or 1.
    package func integer(_ row: Int, _ column: Int) throws(PostgresError) -> Int64 {
        let bytes = try span(row, column)
        guard [1, 2, 4, 8].contains(bytes.count) else { throw Self.unfit(column) }
        let first = Int64(Int8(bitPattern: bytes[0]))
        return bytes.dropFirst().reduce(first) { $0 << 8 | Int64($1) }
    }

    /// A UUID as two halves.
    package func uuid(
        _ row: Int, _ column: Int
    ) throws(PostgresError) -> (high: UInt64, low: UInt64) {
        let bytes = try span(row, column)
        guard bytes.count == 16 else { throw Self.unfit(column) }
        func word(_ half: Slice<UnsafeRawBufferPointer>) -> UInt64 {
            half.reduce(0) { $0 << 8 | UInt64($1) }
        }
        return (word(bytes[..<8]), word(bytes[8...]))
    }

    /// Microseconds since 1970.
    package func microseconds(_ row: Int, _ column: Int) throws(PostgresError) -> Int64 {
        try integer(row, column) + PostgresType.timestampEpoch
    }

    package func bytes(_ row: Int, _ column: Int) throws(PostgresError) -> [UInt8] {
        [UInt8](try span(row, column))
    }

    package func text(_ row: Int, _ column: Int) throws(PostgresError) -> String {
        String(decoding: try span(row, column), as: UTF8.self)
    }

    /// The elements of an array of integers.
    package func integers(_ row: Int, _ column: Int) throws(PostgresError) -> [Int64] {
        let bytes = try span(row, column)
        func word(_ offset: Int, _ length: Int) -> Int64? {
            guard offset + length <= bytes.count, length > 0 else { return nil }
            let first = Int64(Int8(bitPattern: bytes[offset]))
            return bytes[offset + 1..<offset + length].reduce(first) { $0 << 8 | Int64($1) }
        }
        guard let dimensions = word(0, 4) else { throw Self.unfit(column) }
        if dimensions == 0 { return [] }
        guard dimensions == 1, let count = word(12, 4) else { throw Self.unfit(column) }
        var elements: [Int64] = []
        var offset = 20
        for _ in 0..<count {
            guard let length = word(offset, 4), [2, 4, 8].contains(length),
                let element = word(offset + 4, Int(length))
            else { throw Self.unfit(column) }
            elements.append(element)
            offset += 4 + Int(length)
        }
        return elements
    }

    /// Calls `body` with the bytes in place.
    package func withBytes<Answer>(
        _ row: Int, _ column: Int, _ body: (UnsafeRawBufferPointer) -> Answer
    ) throws(PostgresError) -> Answer {
        body(try span(row, column))
    }

    private func span(
        _ row: Int, _ column: Int
    ) throws(PostgresError) -> UnsafeRawBufferPointer {
        guard row < rowCount, column < Int(PQnfields(handle)), !isNull(row, column) else {
            throw Self.unfit(column)
        }
        return UnsafeRawBufferPointer(
            start: PQgetvalue(handle, Int32(row), Int32(column)),
            count: Int(PQgetlength(handle, Int32(row), Int32(column))))
    }

    private static func unfit(_ column: Int) -> PostgresError {
        .unexpected("a row's column \(column) is missing or of another type")
    }
}
