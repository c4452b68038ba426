import Testing

@testable import Bytes

@Suite struct CivilDateTests {
    @Test func `every day from 0000 to 9999 follows the one before`() {
        var days: Int64 = -719_528
        for year in Int64(0)...9999 {
            for month in Int64(1)...12 {
                let length = CivilDate.daysInMonth(month, ofYear: year)
                // The first and last day of a month determine its length; testing all days would
                // only be slower.
                for day in [1, length] {
                    let date = CivilDate(year: year, month: month, day: day)
                    let number = days + day - 1
                    if date?.daysSince1970 != number || CivilDate(daysSince1970: number) != date {
                        Issue.record("\(year)-\(month)-\(day)")
                    }
                }
                days += length
            }
        }
        #expect(days == 2_932_897)
    }

    @Test(
        arguments: [
            (2023, 2, 29), (1900, 2, 29), (2100, 2, 29), (2024, 2, 30), (2024, 4, 31), (2024, 0, 1),
            (2024, 13, 1), (2024, 1, 0), (2024, 1, 32), (10000, 1, 1), (-1, 1, 1),
        ] as [(Int64, Int64, Int64)])
    func `days that no calendar has are refused`(year: Int64, month: Int64, day: Int64) {
        #expect(CivilDate(year: year, month: month, day: day) == nil)
    }

    @Test(arguments: [2024, 2000, 0, 400, 2400] as [Int64])
    func `leap years have a leap day`(year: Int64) {
        #expect(CivilDate(year: year, month: 2, day: 29) != nil)
    }
}
