import Testing

@testable import Commands

@Suite struct PriorUseTests {
    @Test(arguments: [
        ("/var/lib/ipnd/journal", "/var/lib/ipnd", "journal.store"),
        ("journal", ".", "journal.store"),
        ("/journal", "/", "journal.store"), ("data/journal", "data", "journal.store"),
    ])
    func `a note is beside the journal`(path: String, folder: String, name: String) {
        let place = PriorUse.beside(path)
        #expect(place.folder == folder)
        #expect(place.name == name)
    }
}
