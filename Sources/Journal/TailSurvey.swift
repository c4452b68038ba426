import Glibc
import SystemPackage

/// What stands in a segment from the first place without a good frame to the end.
struct TailSurvey: Equatable {
    /// Where the last sector ends that is not all zeros; nil when everything is zero.
    var nonzeroEnd: Int?
    /// The first frame header with a sound salted checksum behind that place.
    var headerBehind: Int?

    /// Reads everything from `offset` to the end of the segment.
    static func look(
        _ window: SegmentWindow, from offset: Int, header: SegmentHeader
    ) throws(Errno) -> TailSurvey {
        var survey = TailSurvey()
        var place = offset
        while place < header.segmentBytes {
            let bytes = try window.bytes(at: place, needed: Format.sectorBytes)
            if bytes.isEmpty { break }
            survey.add(bytes, at: place, from: offset, salt: header.salt)
            place += bytes.count
        }
        return survey
    }

    /// Adds a piece of whole sectors that stands at `place`.
    private mutating func add(
        _ bytes: UnsafeRawBufferPointer, at place: Int, from offset: Int, salt: Salt
    ) {
        if Self.isZero(bytes) { return }
        var start = 0
        while start < bytes.count {
            let end = min(start + Format.sectorBytes, bytes.count)
            let sector = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
            if !Self.isZero(sector) {
                nonzeroEnd = place + end
                if headerBehind == nil, place + start > offset,
                    FrameHeader.decode(sector, salt: salt) != nil
                {
                    headerBehind = place + start
                }
            }
            start = end
        }
    }

    /// Zeros are found by comparing the bytes with themselves, one place further, which the C library does fastest.
    private static func isZero(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let base = bytes.baseAddress else { return true }
        return bytes[0] == 0 && memcmp(base, base + 1, bytes.count - 1) == 0
    }
}
