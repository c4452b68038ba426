import Testing

@testable import HTTP

@Suite struct RequestLineScannerTests {
    /// Any octet but the correct one is refused, so one of 256 versions passes.
    @Test func `the version is exact`() {
        let line = latin1("GET / HTTP/1.1\r\n")
        for place in 6..<line.count where place != 11 && place != 13 {
            for byte in UInt8.min...UInt8.max where byte != line[place] {
                var changed = line
                changed[place] = byte
                var scanner = RequestLineScanner(lineBytesMax: 100)
                #expect(throws: HTTPError.Cause.self) { try scanner.scan(changed) }
            }
        }
    }

    @Test func `the digits of the version are reported`() throws {
        let line = latin1("\r\nGET / HTTP/3.7\r\n")
        var scanner = RequestLineScanner(lineBytesMax: 100)
        #expect(try scanner.scan(line))
        let (major, minor) = scanner.version(in: line.span)
        #expect(major == 3 && minor == 7)
        #expect(scanner.lineStart == 2 && scanner.position == line.count)
        #expect(scanner.method == 2..<5 && scanner.target == 6..<7)
    }

    @Test func `every octet of a method is a token`() {
        for byte in UInt8.min...UInt8.max {
            var scanner = RequestLineScanner(lineBytesMax: 100)
            let line = [0x41, byte] + latin1(" / HTTP/1.1\r\n")
            let accepted = (try? scanner.scan(line)) == true
            // A space makes the method one letter long and the target empty.
            #expect(accepted == ByteSet.token.contains(byte), "\(byte)")
        }
    }
}
