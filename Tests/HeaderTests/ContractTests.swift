// SPDX-License-Identifier: Apache-2.0
import Testing

@Suite("The rules of the contract")
struct ContractTests {
    private let declarations: [Declaration]
    private let vocabulary: TagVocabulary

    init() throws {
        declarations = try Headers.own.declarations()
        vocabulary = TagVocabulary(typesHeader: try Headers.own.source(of: "curfew/types.h"))
    }

    @Test("types.h lists the threads and states that a tag may name")
    func vocabularyIsRead() {
        #expect(vocabulary.threads.isSuperset(of: ["any", "outside", "loading", "worker"]))
        #expect(vocabulary.states.isSuperset(of: ["any", "open", "registering", "retired"]))
        let words = vocabulary.threads.union(vocabulary.states)
        #expect(words.allSatisfy { $0.allSatisfy { $0.isLowercase && $0.isLetter } })
    }

    @Test("every function, function pointer and callback type has one known tag")
    func tags() {
        #expect(ContractRules.tags(declarations, vocabulary) == [])
    }

    @Test("the command of types.h's comment reads every tag")
    func tagCommand() throws {
        let text = try Headers.own.preprocessed(
            defining: ["CURFEW_TAG(thread, state)=@tag(thread;state)"])
        let callables = declarations.flatMap { [$0] + $0.members }.filter(\.isCallable)
        #expect(callables.count > 60)
        #expect(text.matches(of: /@tag\(\w+;\w+\)/).count == callables.count)
    }

    @Test("there are only plain declarations, of functions, structures, enumerations and types")
    func forms() {
        #expect(ContractRules.forms(declarations) == [])
    }

    @Test("structures begin with their size, and types are the same everywhere")
    func shapes() {
        #expect(ContractRules.shapes(declarations) == [])
    }

    @Test("every public name has the prefix")
    func names() throws {
        let macros = try Headers.own.macros()
        #expect(ContractRules.names(declarations, macros: macros) == [])
    }

    @Test("every function and function pointer has a comment right before it")
    func documentation() {
        #expect(ContractRules.documentation(declarations) == [])
    }

    @Test("the values of the statuses are unique and dense, their texts and names unique")
    func statuses() throws {
        let rows = try Headers.own.statuses()
        #expect(rows.first == StatusRow(name: "OK", value: 0, text: "done"))
        #expect(ContractRules.statuses(rows) == [])
    }
}
