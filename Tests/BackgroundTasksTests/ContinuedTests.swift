// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

@Suite("Continued processing")
struct ContinuedTests {
    @Test("a wildcard's handler gets the task with its titles, and its progress is passed on")
    func progress() throws {
        let run = try App().run("continued")
        #expect(run.lines.contains("submitted org.example.app.export.7"))
        #expect(
            run.said == [
                "org.example.app.export.7: Exporting, 7 films", "Exported: 1.0", "succeeded",
                "supported: true",
            ])
    }

    @Test("resources that are not there, a strategy to fail, and the background are refused")
    func refused() throws {
        let lines = try App().run("continued-refused").lines
        #expect(lines[0].hasPrefix("error 3: org.example.app.export.7 requires resources"))
        #expect(lines[1].hasPrefix("error 4: org.example.app.export.7 cannot begin at once"))
        #expect(lines[2] == "caught by its pattern")
        #expect(lines[3] == "submitted org.example.app.export.7")
        #expect(lines[4].hasSuffix("is begun in the foreground; nothing was submitted"))
    }

    @Test("what is queued is cancelled when its user removes the app; a suspended one keeps it")
    func removed() throws {
        #expect(
            try App().run("removed").lines == [
                "submitted org.example.app.export.7", "suspended: 1", "removed: 0",
            ])
    }

    @Test("one that comes no further for a minute expires before its time")
    func stalled() throws {
        let run = try App().run("stalled")
        #expect(run.lines.suffix(2) == ["expired", "expired"])
        #expect(
            run.log == [
                "<BGContinuedProcessingTask: org.example.app.export.7> has made no progress for 60 s; its time is over"
            ])
    }

    @Test("one whose children come further goes on")
    func moving() throws {
        #expect(try App().run("moving").lines.last == "succeeded")
    }
}
