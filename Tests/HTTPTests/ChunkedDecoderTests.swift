import Testing

@testable import HTTP

@Suite struct ChunkedDecoderTests {
    @Test func `stops behind the trailer section`() throws {
        var decoder = ChunkedDecoder(limits: Limits())
        var body: [UInt8] = []
        let coded = latin1("3\r\nabc\r\n0\r\nX: y\r\n\r\n")
        let end = try decoder.decode((coded + latin1("GET")).span, from: 0, into: &body)
        #expect(end == coded.count && decoder.isComplete)
        #expect(text(body) == "abc")
    }

    /// Every way to cut a coded body in three.
    @Test func `decodes the same from any three pieces`() throws {
        let coded = latin1(
            "5;a=\"b\"\r\nhello\r\n02\r\n, \r\n5\r\nworld\r\n0;x\r\nT: v\r\nU:\r\n\r\n")
        for first in 0...coded.count {
            for second in first...coded.count {
                var decoder = ChunkedDecoder(limits: Limits())
                var body: [UInt8] = []
                for piece in [0..<first, first..<second, second..<coded.count] {
                    let count = try decoder.decode(
                        coded.span.extracting(piece), from: 0, into: &body)
                    #expect(count == piece.count)
                }
                #expect(decoder.isComplete && text(body) == "hello, world")
            }
        }
    }

    @Test func `every prefix is unfinished and no error`() throws {
        let coded = latin1("1;a=b;c=\"\\\"\"\r\nx\r\n0\r\nA: b\r\n\r\n")
        for count in 0..<coded.count {
            var decoder = ChunkedDecoder(limits: Limits())
            var body: [UInt8] = []
            _ = try decoder.decode(coded.span.extracting(first: count), from: 0, into: &body)
            #expect(!decoder.isComplete)
        }
    }
}
