// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

@Suite("The headers, read by other languages")
struct ReaderTests {
    @Test("Swift sees the types and the nullability that are meant")
    func swift() throws {
        let complaints = try Reader.swiftComplaints(.own)
        #expect(complaints == "")
    }

    @Test("Swift takes no nil where C takes no NULL")
    func swiftRefusesNil() throws {
        let source = """
            import CurfewHeaders
            _ = curfew_host_launch(nil, nil, nil, nil, nil)
            """
        let complaints = try Reader.swiftComplaints(.own, source: source)
        // The host and the identifier are refused, the three optional ones are not.
        #expect(complaints.split(separator: "\n").count { $0.contains(": error:") } == 2)
    }

    @Test("cffi reads them and sees gcc's layout")
    func cffi() throws {
        let expected = try Reader.expectedLayout(.own)
        let layout = try Reader.cffiLayout(.own)
        #expect(layout == expected)
    }

    @Test("LuaJIT reads them, libc's declarations included, and sees gcc's layout")
    func luajit() throws {
        let expected = try Reader.expectedLayout(.own)
        let layout = try Reader.luajitLayout(.own)
        #expect(layout == expected)
    }

    @Test("bindgen finds every function", arguments: [false, true])
    func bindgen(preprocessed: Bool) throws {
        let missed = try Reader.functionsMissedByBindgen(.own, preprocessed: preprocessed)
        #expect(missed == [])
    }
}
