// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CInterface

extension TestHost {
    /// Submits a request; the number is 0 where none was taken in.
    func submit(
        _ identifier: String = "org.example.tidy", payload: [UInt8] = [], key: String? = nil,
        cron: String? = nil, _ change: (inout curfew_submit_options) -> Void = { _ in }
    ) -> (answer: Answer, request: curfew_request, how: curfew_submission, text: String) {
        var options = curfew_submit_options()
        options.struct_size = UInt32(MemoryLayout<curfew_submit_options>.size)
        change(&options)
        var error = curfew_error.empty
        var request: curfew_request = 0
        var how: curfew_submission = 0
        func call() -> Answer {
            payload.withUnsafeBytes { bytes in
                options.payload = bytes.isEmpty ? nil : bytes.baseAddress
                options.payload_bytes = UInt64(bytes.count)
                return Answer(
                    curfew_host_submit(raw, identifier, &options, &request, &how, &error))
            }
        }
        func withKey() -> Answer {
            guard let key else { return call() }
            return key.withCString {
                options.key = $0
                return call()
            }
        }
        guard let cron else { return (withKey(), request, how, error.text) }
        let answer = cron.withCString {
            options.cron = $0
            return withKey()
        }
        return (answer, request, how, error.text)
    }

    func request(_ request: curfew_request) -> (answer: Answer, value: curfew_request_state?) {
        OutStruct.filled(curfew_request_state.self) {
            curfew_host_get_request(raw, request, $0, nil)
        }
    }

    func state(_ request: curfew_request) -> Int {
        Int(self.request(request).value?.phase ?? 0)
    }

    /// Fills an array of structs, and says how many were filled and how many there are.
    func list<Element>(
        _ type: Element.Type, capacity: Int,
        _ call: (UnsafeMutablePointer<Element>, UInt32, UnsafeMutablePointer<UInt32>) ->
            curfew_status
    ) -> (answer: Answer, elements: [Element]) {
        let size = MemoryLayout<Element>.stride
        let raw = UnsafeMutableRawPointer.allocate(byteCount: max(1, capacity) * size, alignment: 8)
        defer { raw.deallocate() }
        raw.initializeMemory(as: UInt8.self, repeating: 0, count: max(1, capacity) * size)
        raw.storeBytes(of: UInt32(size), as: UInt32.self)
        let elements = raw.assumingMemoryBound(to: Element.self)
        var count: UInt32 = 0
        let answer = Answer(call(elements, UInt32(capacity), &count))
        let filled = min(Int(count), capacity)
        return (answer, (0..<filled).map { elements[$0] })
    }

    func why(_ request: curfew_request) -> [(report: curfew_factor_report, name: String)] {
        list(curfew_factor_report.self, capacity: 32) {
            curfew_host_explain_request(raw, request, $0, $1, $2, nil, nil)
        }.elements.map { ($0, text($0.name)) }
    }

    /// The text in an array of a struct.
    func text<Array>(_ array: Array) -> String {
        withUnsafeBytes(of: array) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}
