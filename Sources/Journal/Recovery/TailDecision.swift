import Glibc
import SystemPackage

/// What follows from the first place of a segment without a good frame: Format.md's decision table,
/// rows F1 to F10, as one pure function.
enum TailDecision: Equatable {
    /// Nothing was ever written here.
    case end
    /// One frame was being written when the power went; it was never acknowledged. What is not zero
    /// ends at `end`.
    case torn(end: Int)
    /// No crash leaves this.
    case damaged(Damage.Reason, detail: String)

    /// Decides. `isLast`: no later segment exists.
    static func decide(
        fault: FrameFault, at offset: Int, isLast: Bool, survey: TailSurvey
    ) -> TailDecision {
        switch fault {
        case .impossible:
            return .damaged(.frameImpossible, detail: "a frame header has impossible lengths")
        case .sequence(let found, let expected):
            return .damaged(.sequence, detail: "the frame holds \(found), expected \(expected)")
        case .chain:
            return .damaged(.chain, detail: "the frame does not follow the one before it")
        case .records:
            return .damaged(.records, detail: "the frame's records do not add up")
        case .header:
            guard survey.nonzeroEnd != nil else { return .end }
            return tail(
                at: offset, isLast: isLast, survey, reach: offset + Format.frameBytesCeiling)
        case .body(let frameBytes):
            return tail(at: offset, isLast: isLast, survey, reach: offset + frameBytes)
        }
    }

    /// A frame is not whole. The writer starts a frame only after the one before it was synced, so
    /// a power cut can have torn this one only if nothing at all was written behind it.
    private static func tail(
        at offset: Int, isLast: Bool, _ survey: TailSurvey, reach: Int
    ) -> TailDecision {
        guard isLast else {
            return .damaged(.frame, detail: "no whole frame, although a later segment exists")
        }
        if let behind = survey.headerBehind {
            return .damaged(.frame, detail: "no whole frame, although one begins at \(behind)")
        }
        let end = survey.nonzeroEnd ?? offset
        if end > reach {
            return .damaged(
                .strayBytes, detail: "bytes up to \(end), where one torn frame ends by \(reach)")
        }
        return .torn(end: max(end, offset + Format.sectorBytes))
    }
}

/// What is in a segment from the first place without a good frame to the end.
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

    /// Adds a piece of whole sectors that is at `place`.
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

    /// Zeros are found by comparing the bytes with themselves, one place further, which the C
    /// library does fastest.
    private static func isZero(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let base = bytes.baseAddress else { return true }
        return bytes[0] == 0 && memcmp(base, base + 1, bytes.count - 1) == 0
    }
}
