import Testing

@testable import Providers

@Suite struct NameTableTests {
    /// `#expect` cannot contain a span.
    private func add(_ name: String, to table: inout NameTable) -> Bool {
        table.add(name.utf8.span)
    }

    private func place(of name: String, in table: NameTable) -> Int? {
        table.place(of: name.utf8.span)
    }

    /// Around each size at which the table grows.
    @Test(arguments: [0, 1, 2, 3, 8, 9, 31, 32, 33, 100, 1000])
    func `a name is found where it was added`(_ count: Int) {
        var table = NameTable(capacity: 4)
        let names = (0..<count).map { "name\($0)" } + [""]
        for name in names { #expect(add(name, to: &table)) }
        for (place, name) in names.enumerated() {
            #expect(self.place(of: name, in: table) == place)
            let stored = table.bytes[table.places[place]]
            #expect(String(decoding: stored, as: UTF8.self) == name)
            #expect(!add(name, to: &table))
        }
        #expect(place(of: "another", in: table) == nil)
        #expect(table.count == names.count)
    }

    /// `é` as one scalar and as two: equal as text, but with different bytes and hashes.
    @Test func `names are told apart by their bytes`() {
        var table = NameTable(capacity: 2)
        #expect(add("\u{e9}", to: &table) && add("e\u{301}", to: &table))
        #expect(place(of: "e\u{301}", in: table) == 1)
    }
}
