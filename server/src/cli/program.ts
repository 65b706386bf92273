/** The command line: which commands there are, and what a run of one ends with. */
import { readFileSync } from 'node:fs'
import { Command, CommanderError } from 'commander'
import { addApiKeys } from './commands/api-keys.ts'
import { addAuditLogs } from './commands/audit-logs.ts'
import { addCheckConfig } from './commands/check-config.ts'
import { addDeadLetters } from './commands/dead-letters.ts'
import { addExplain } from './commands/explain.ts'
import { addHealth } from './commands/health.ts'
import { addMetrics } from './commands/metrics.ts'
import { addMigrate } from './commands/migrate.ts'
import { addProviders } from './commands/providers.ts'
import { addRecords } from './commands/records.ts'
import { addSchedules } from './commands/schedules.ts'
import { addSend } from './commands/send.ts'
import { addSimulate } from './commands/simulate.ts'
import { addStart } from './commands/start.ts'
import { addSystemEvents } from './commands/system-events.ts'
import { addTemplates } from './commands/templates.ts'
import { addWebhooks } from './commands/webhooks.ts'
import { describeFailure, renderFailure } from './failure.ts'
import { addGlobalOptions, createOpen } from './invocation.ts'
import { stderrColors } from './output/colors.ts'
import type { Terminal } from './output/terminal.ts'

const FAILURE = 1
const USAGE = 2

/** Runs one command line and gives the exit code: 0 it went well, 1 it failed, 2 it was not understood. */
export async function run(args: string[], terminal: Terminal): Promise<number> {
  let exitCode = 0
  const program = createProgram(terminal, () => {
    exitCode = FAILURE
  })
  try {
    await program.parseAsync(args, { from: 'user' })
    return exitCode
  } catch (error) {
    // Asking for help or the version ends with 0; everything else commander throws is a misuse it has explained.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE
    reportFailure(error, terminal, program.opts().json === true)
    return FAILURE
  }
}

function createProgram(terminal: Terminal, endWithFailure: () => void): Command {
  const program = new Command('carillon')
  configure(program, terminal)
  addGlobalOptions(program)
  const open = createOpen(terminal, endWithFailure)
  addStart(program, open)
  addMigrate(program, open)
  addCheckConfig(program, open)
  addSend(program, open)
  addSimulate(program, open)
  addSchedules(program, open)
  addRecords(program, open)
  addExplain(program, open)
  addDeadLetters(program, open)
  addProviders(program, open)
  addWebhooks(program, open)
  addTemplates(program, open)
  addApiKeys(program, open)
  addSystemEvents(program, open)
  addMetrics(program, open)
  addAuditLogs(program, open)
  addHealth(program, open)
  return program
}

/** Set before any command is added: commands take these settings over when they are made. */
function configure(program: Command, terminal: Terminal): void {
  const { stdout, stderr } = terminal
  program
    .description('Self-hosted notifications: accepted once, delivered on every channel, explained.')
    .version(version())
    .exitOverride()
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError('(--help shows what is possible)')
    .configureOutput({
      writeOut: text => stdout.write(text),
      writeErr: text => stderr.write(text),
      getOutHelpWidth: () => stdout.columns ?? 100,
      getErrHelpWidth: () => stderr.columns ?? 100,
      getOutHasColors: () => terminal.color,
      getErrHasColors: () => terminal.color,
    })
}

function reportFailure(error: unknown, terminal: Terminal, json: boolean): void {
  const failure = describeFailure(error)
  terminal.stderr.write(
    json ? `${JSON.stringify(failure, null, 2)}\n` : renderFailure(failure, stderrColors(terminal)),
  )
}

function version(): string {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version
}
