/** Ends every run with one plain line that people and scripts can read: `N passed, N failed`. */
import type { SerializedError } from 'vitest'
import type { Reporter, TestModule, TestRunEndReason } from 'vitest/node'

export default class ClosingLineReporter implements Reporter {
  // The line for a run that breaks before anything was counted.
  private line = '0 passed, 1 failed'
  private isIncomplete = false

  onInit(): void {
    // Printed at process exit, since shutting down may still print something and this line must be the last.
    process.once('exit', () => {
      process.stdout.write(`${this.line}\n`)
      // A skipped test proves nothing, so a run in CI may not have any.
      if (this.isIncomplete && !process.exitCode) process.exitCode = 1
    })
  }

  onTestRunEnd(
    modules: readonly TestModule[],
    unhandledErrors: readonly SerializedError[],
    reason: TestRunEndReason,
  ): void {
    const tests = modules.flatMap(module => [...module.children.allTests()])
    const count = (state: string) => tests.filter(test => test.result().state === state).length
    const skipped = count('skipped')
    // A file or suite that broke outside a test has no failed test of its own.
    const broken = modules.reduce((sum, module) => sum + brokenSuites(module), 0)
    const found = count('failed') + broken + unhandledErrors.length
    // The set-up of the whole run may fail too; it belongs to no file.
    const failed = reason === 'passed' ? found : Math.max(found, 1)
    this.isIncomplete = process.env.CI === 'true' && skipped > 0
    this.line = `${count('passed')} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
  }
}

function brokenSuites(module: TestModule): number {
  const suites = [module, ...module.children.allSuites()]
  return suites.filter(suite => suite.errors().length > 0).length
}
