import CPostgreSQL

/// One statement with its parameters.
package struct Command: Sendable {
    let statement: Statement
    private(set) var types: [UInt32] = []
    /// The range of each parameter in `bytes`; nil for null.
    private var places: [Range<Int>?] = []
    private var bytes: [UInt8] = []

    package init(_ statement: Statement) { self.statement = statement }

    /// A statement that is run once, without being prepared.
    package init(_ sql: String) { statement = Statement(name: "", sql: sql) }

    /// The name of the prepared statement; empty for a statement that is run once.
    package var name: String { statement.name }
    package var sql: String { statement.sql }
    package var parameterCount: Int { places.count }

    /// A parameter in the protocol's binary form; nil for null.
    package func parameter(_ index: Int) -> ArraySlice<UInt8>? { places[index].map { bytes[$0] } }

    package consuming func with(_ value: Int64) -> Command {
        adding(.int8) { $0.append(bigEndian: value) }
    }

    package consuming func with(_ text: String?) -> Command {
        guard let text else { return null(.text) }
        return adding(.text) { $0.append(contentsOf: text.utf8) }
    }

    package consuming func with(_ value: Bool) -> Command {
        adding(.bool) { $0.append(value ? 1 : 0) }
    }

    package consuming func with(_ value: [UInt8]) -> Command {
        adding(.bytes) { $0.append(contentsOf: value) }
    }

    package consuming func with(_ column: Column) -> Command {
        var command = self
        command.add(column.type.array) { column.encode(into: &$0) }
        return command
    }

    /// Queues the command with libpq. Returns false if the connection cannot send any more.
    func send(_ handle: OpaquePointer) -> Bool {
        bytes.withUnsafeBufferPointer { buffer in
            let base = buffer.baseAddress.map { UnsafeRawPointer($0) }
            let values = places.map { place in
                place.flatMap { place in
                    (base ?? Self.nothing).map {
                        ($0 + place.lowerBound).assumingMemoryBound(to: CChar.self)
                    }
                }
            }
            let lengths = places.map { Int32($0?.count ?? 0) }
            let formats = [Int32](repeating: 1, count: places.count)
            let count = Int32(places.count)
            if statement.name.isEmpty {
                return PQsendQueryParams(
                    handle, statement.sql, count, types, values, lengths, formats, 1) == 1
            }
            return PQsendQueryPrepared(
                handle, statement.name, count, values, lengths, formats, 1) == 1
        }
    }

    /// Address of a value without bytes: any address but the null pointer, which means null.
    private static var nothing: UnsafeRawPointer? { UnsafeRawPointer(bitPattern: 1) }

    private consuming func null(_ type: PostgresType) -> Command {
        var command = self
        command.types.append(type.rawValue)
        command.places.append(nil)
        return command
    }

    private consuming func adding(
        _ type: PostgresType, _ write: (inout [UInt8]) -> Void
    ) -> Command {
        var command = self
        command.add(type.rawValue, write)
        return command
    }

    private mutating func add(_ type: UInt32, _ write: (inout [UInt8]) -> Void) {
        let start = bytes.count
        write(&bytes)
        types.append(type)
        places.append(start..<bytes.count)
    }
}

/// The text of a statement. A named statement is prepared when a connection first runs it, so the
/// server parses it once per session.
package struct Statement: Sendable {
    let name: String
    let sql: String

    /// - Parameter name: Unique within a session.
    package init(name: String, sql: String) {
        self.name = name
        self.sql = sql
    }
}
