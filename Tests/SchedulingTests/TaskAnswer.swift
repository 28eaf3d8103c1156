// SPDX-License-Identifier: Apache-2.0

@testable import Scheduling

/// What a task's machine answers to an input, or its model in its place.
enum TaskAnswer: Hashable {
    case nothing
    case flag(Bool)
    case enter(TaskStateMachine.EnterAction)
    case returned(TaskStateMachine.ReturnAction)
    case verdict(TaskStateMachine.Verdict)
    case stop(TaskStateMachine.StopAction)
    case hold(TaskStateMachine.HoldAction)
    case resume(TaskStateMachine.ResumeAction)
    case release(TaskStateMachine.ReleaseAction)
}
