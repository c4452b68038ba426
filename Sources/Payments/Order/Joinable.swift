/// An element with an id that collects facts.
protocol Joinable {
    var id: String { get }

    /// Adds the facts of `other`, which has the same id.
    mutating func join(_ other: Self)
}

/// Arrays of joinable elements are sorted by the bytes of their ids, each id once. They nearly
/// always have one element, for which an array is smaller and faster than a dictionary. Their order
/// is also the order on disk.
extension Array where Element: Joinable {
    mutating func join(_ element: Element) {
        let index = insertionIndex(of: element.id)
        if index < endIndex, utf8Order(self[index].id, element.id) == 0 {
            self[index].join(element)
        } else {
            insert(element, at: index)
        }
    }

    mutating func join(contentsOf others: [Element]) {
        for element in others { join(element) }
    }

    /// The index of the element with this id, or nil.
    func index(id: String) -> Int? {
        let index = insertionIndex(of: id)
        return index < endIndex && utf8Order(self[index].id, id) == 0 ? index : nil
    }

    /// The element with this id, or nil.
    func named(_ id: String) -> Element? {
        index(id: id).map { self[$0] }
    }

    /// Whether the ids are strictly ascending.
    var isSortedByID: Bool {
        for index in indices.dropFirst() where utf8Order(self[index - 1].id, self[index].id) >= 0 {
            return false
        }
        return true
    }

    /// The first index whose id is not less than `id`.
    private func insertionIndex(of id: String) -> Int {
        var low = startIndex
        var high = endIndex
        while low < high {
            let middle = low + (high - low) / 2
            if utf8Order(self[middle].id, id) < 0 { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// Compares by bytes: negative, zero or positive if `left` is less than, equal to or greater than
/// `right`.
///
/// `String` compares by canonical equivalence, but to a provider two ids are the same only if their
/// bytes are.
func utf8Order(_ left: String, _ right: String) -> Int {
    let leftBytes = left.utf8.span
    let rightBytes = right.utf8.span
    for index in 0..<min(leftBytes.count, rightBytes.count)
    where leftBytes[index] != rightBytes[index] {
        return Int(leftBytes[index]) - Int(rightBytes[index])
    }
    return leftBytes.count - rightBytes.count
}

/// Returns the non-nil text, or the lesser of two by bytes, so that the order of arrival does not
/// matter.
func lesser(_ left: String?, _ right: String?) -> String? {
    guard let left else { return right }
    guard let right else { return left }
    return utf8Order(left, right) <= 0 ? left : right
}
