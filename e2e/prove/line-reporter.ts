/** Tells the process that started vitest what came of each test and file, as lines of JSON. */
import type { SerializedError } from 'vitest'
import type { Reporter, TestCase, TestModule, TestRunEndReason } from 'vitest/node'

export type Line =
  | { kind: 'test'; file: string; name: string; state: string; errors: string[] }
  /** `errors` are those outside of tests. */
  | { kind: 'file'; file: string; errors: string[] }
  | { kind: 'end'; reason: TestRunEndReason; errors: string[] }

export default class LineReporter implements Reporter {
  onTestCaseResult(test: TestCase): void {
    const { state, errors } = test.result()
    tell({
      kind: 'test',
      file: test.module.relativeModuleId,
      name: test.fullName,
      state,
      errors: messagesOf(errors ?? []),
    })
  }

  onTestModuleEnd(module: TestModule): void {
    const suites = [module, ...module.children.allSuites()]
    const errors = suites.flatMap(suite => suite.errors())
    tell({ kind: 'file', file: module.relativeModuleId, errors: messagesOf(errors) })
  }

  onTestRunEnd(
    _modules: readonly TestModule[],
    errors: readonly SerializedError[],
    reason: TestRunEndReason,
  ): void {
    tell({ kind: 'end', reason, errors: messagesOf(errors) })
  }
}

function messagesOf(errors: readonly { message: string }[]): string[] {
  return errors.map(({ message }) => message)
}

function tell(line: Line): void {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}
