import CPostgreSQL
import PostgreSQL

/// The result of a statement: rows of values in the protocol's binary form, nil for null.
package struct SimulatedRows: Sendable {
    package var rows: [[[UInt8]?]] = []
    /// The command tag, e.g. `COMMIT`.
    package var tag = ""

    package init(_ rows: [[[UInt8]?]] = [], tag: String = "SELECT") {
        self.rows = rows
        self.tag = tag
    }

    /// A result as returned by libpq, made with libpq's functions for that (PostgreSQL
    /// documentation, 34.11).
    package var result: PostgresResult {
        guard let handle = PQmakeEmptyPGresult(nil, PGRES_TUPLES_OK) else {
            preconditionFailure("no memory")
        }
        "column".withCString { name in
            let column = PGresAttDesc(
                name: UnsafeMutablePointer(mutating: name), tableid: 0, columnid: 0, format: 1,
                typid: 17, typlen: -1, atttypmod: -1)
            var columns = [PGresAttDesc](repeating: column, count: rows.first?.count ?? 0)
            if !columns.isEmpty { PQsetResultAttrs(handle, Int32(columns.count), &columns) }
        }
        for (row, values) in rows.enumerated() {
            for (column, value) in values.enumerated() {
                guard let value else {
                    PQsetvalue(handle, Int32(row), Int32(column), nil, -1)
                    continue
                }
                var characters = value.map { CChar(bitPattern: $0) } + [0]
                PQsetvalue(handle, Int32(row), Int32(column), &characters, Int32(value.count))
            }
        }
        // The tag is a field of 64 bytes in the result, which no function sets.
        if let place = PQcmdStatus(handle) {
            for (index, byte) in (Array(tag.utf8.prefix(63)) + [0]).enumerated() {
                place[index] = CChar(bitPattern: byte)
            }
        }
        return PostgresResult(handle)
    }
}

/// A UUID that is a key of a table.
struct RowKey: Hashable, Comparable, Sendable {
    let high: UInt64
    let low: UInt64

    init(_ bytes: some Collection<UInt8>) {
        high = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        low = bytes.dropFirst(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    var bytes: [UInt8] { SimulatedValue.bytes(high) + SimulatedValue.bytes(low) }

    static func < (left: RowKey, right: RowKey) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }
}

/// The protocol's binary forms.
enum SimulatedValue {
    static func bytes(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }

    /// An integer of any width.
    static func integer(_ bytes: some Collection<UInt8>) -> Int64 {
        guard let first = bytes.first else { return 0 }
        return bytes.dropFirst().reduce(Int64(Int8(bitPattern: first))) { $0 << 8 | Int64($1) }
    }

    static func text(_ bytes: some Collection<UInt8>) -> String {
        String(decoding: bytes, as: UTF8.self)
    }

    /// The elements of an array of one dimension; nil for null.
    static func array(_ bytes: ArraySlice<UInt8>) -> [[UInt8]?] {
        var rest = bytes
        func word() -> Int {
            defer { rest = rest.dropFirst(4) }
            return Int(integer(rest.prefix(4)))
        }
        guard word() == 1 else { return [] }
        _ = (word(), word())
        let count = word()
        _ = word()
        var elements: [[UInt8]?] = []
        for _ in 0..<count {
            let length = word()
            guard length >= 0 else {
                elements.append(nil)
                continue
            }
            elements.append(Array(rest.prefix(length)))
            rest = rest.dropFirst(length)
        }
        return elements
    }
}

extension Command {
    /// A parameter; empty if it is null.
    func value(_ index: Int) -> ArraySlice<UInt8> { parameter(index) ?? [] }
    func integer(_ index: Int) -> Int64 { SimulatedValue.integer(value(index)) }
    func text(_ index: Int) -> String { SimulatedValue.text(value(index)) }
    func array(_ index: Int) -> [[UInt8]?] { SimulatedValue.array(value(index)) }
    func keys(_ index: Int) -> [RowKey] {
        Set(array(index).compactMap { $0.map(RowKey.init) }).sorted()
    }

    /// The rows of parallel arrays, as from `unnest`.
    func rows() -> [[[UInt8]?]] {
        let columns = (0..<parameterCount).map { array($0) }
        let count = columns.map(\.count).max() ?? 0
        return (0..<count).map { row in
            columns.map { row < $0.count ? $0[row] : nil }
        }
    }
}
