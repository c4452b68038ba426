import Testing

@testable import Bytes

@Suite struct LEB128Tests {
    @Test(
        arguments: [
            (0, [0]), (1, [1]), (127, [0x7f]), (128, [0x80, 1]), (624_485, [0xe5, 0x8e, 0x26]),
            (.max, [UInt8](repeating: 0xff, count: 9) + [1]),
        ] as [(UInt64, [UInt8])])
    func `numbers have one form`(_ number: UInt64, _ form: [UInt8]) {
        var bytes: [UInt8] = [9]
        LEB128.append(number, to: &bytes)
        #expect(bytes == [9] + form)
        var position = 1
        #expect(LEB128.read(bytes[...], at: &position) == number)
        #expect(position == bytes.count)
    }

    @Test(
        arguments: [
            [], [0x80], [0x80, 0], [0xff, 0x80, 0], [UInt8](repeating: 0xff, count: 9) + [2],
            [UInt8](repeating: 0xff, count: 10) + [1],
        ] as [[UInt8]])
    func `what is no number is refused`(_ bytes: [UInt8]) {
        var position = 0
        #expect(LEB128.read(bytes[...], at: &position) == nil)
    }

    @Test func `a reader takes numbers and texts in turn`() {
        var reader = LEB128Reader([0xe5, 0x8e, 0x26, 2, 0x68, 0x69, 0xff, 7][1...].dropFirst(2))
        #expect(reader.next() == 2)
        #expect(reader.text(2) == "hi")
        #expect(reader.text(1) == nil)
        #expect(reader.next() == 7)
        #expect(reader.next() == nil && reader.take(1) == nil)
    }
}
