// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

@Suite("Where a plugin crashed")
struct CrashPlaceTests {
    private func notes(_ body: String) throws -> String {
        let plugin = try HarmfulPlugin(body, .run)
        let run = try ConformRun(
            [plugin.directory], ["--only", "one-task-done", "--isolation", "thread"])
        return run.process.output
    }

    @Test("a library that the plugin has called is named beside the plugin's own place")
    func inside() throws {
        let output = try notes(
            """
            void *library = dlopen("libz.so.1", RTLD_NOW);
            unsigned long (*sum)(unsigned long, const void *, unsigned) = dlsym(library, "crc32");
            round += sum(0, (void *)8, 4096);
            """)
        #expect(output.contains(/in libharmful\.so\+0x[0-9a-f]+/), "\(output)")
        #expect(output.contains(/in what it had called: libz\.so\.[0-9.]+\+0x/), "\(output)")
    }

    @Test("the C library, which aborts for all, is not")
    func abort() throws {
        let output = try notes("abort();")
        #expect(output.contains(/in libharmful\.so\+0x[0-9a-f]+/), "\(output)")
        #expect(!output.contains("had called"), "\(output)")
    }
}
