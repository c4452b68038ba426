extension UInt8 {
    /// Space or tab: the white space that HTTP allows around values (RFC 9110 §5.6.3, OWS).
    @inlinable package var isBlank: Bool { self == 0x20 || self == 0x09 }

    /// Space, tab or a line break.
    @inlinable package var isWhiteSpace: Bool { isBlank || self == 0x0A || self == 0x0D }
}

extension BidirectionalCollection {
    /// The collection without the elements at both ends that satisfy `isDropped`.
    @inlinable package func trimming(_ isDropped: (Element) -> Bool) -> SubSequence {
        var start = startIndex
        var end = endIndex
        while start < end, isDropped(self[start]) { formIndex(after: &start) }
        while start < end {
            let last = index(before: end)
            guard isDropped(self[last]) else { break }
            end = last
        }
        return self[start..<end]
    }
}

extension BidirectionalCollection<UInt8> {
    /// The bytes without the spaces and tabs at both ends.
    @inlinable package var trimmingBlanks: SubSequence { trimming(\.isBlank) }

    /// The bytes without the spaces, tabs and line breaks at both ends.
    @inlinable package var trimmingWhiteSpace: SubSequence { trimming(\.isWhiteSpace) }
}

extension Span<UInt8> {
    /// `part` without the spaces and tabs at both ends.
    @inlinable package func trimmingBlanks(_ part: Range<Int>) -> Range<Int> {
        var start = part.lowerBound
        var end = part.upperBound
        while start < end, self[start].isBlank { start += 1 }
        while end > start, self[end - 1].isBlank { end -= 1 }
        return start..<end
    }
}
