import Foundation
import Testing

@testable import HTTP

@Suite struct HTTPDateTests {
    @Test(arguments: [
        (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
        (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
        (-1, "Wed, 31 Dec 1969 23:59:59 GMT"),
        (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
        (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
        (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
        (Int.max, "Fri, 31 Dec 9999 23:59:59 GMT"),
        (-62_167_219_200, "Sat, 01 Jan 0000 00:00:00 GMT"),
        (Int.min, "Sat, 01 Jan 0000 00:00:00 GMT"),
    ])
    func `are IMF fixdate`(_ seconds: Int, _ expected: String) {
        #expect(text(HTTPDate.bytes(secondsSince1970: seconds)) == expected)
    }

    /// Every 1001st hour of two centuries, compared with another implementation.
    @Test func `agree with foundation`() {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "GMT")
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        for seconds in stride(from: -2_208_988_800, to: 4_102_444_800, by: 1001 * 3600 + 61) {
            let expected = formatter.string(from: Date(timeIntervalSince1970: Double(seconds)))
            #expect(text(HTTPDate.bytes(secondsSince1970: seconds)) == expected)
        }
    }
}
