/** The command line: its commands, and the exit code of a run. */
import { Command, CommanderError } from 'commander'
import { ownVersion } from '../platform/config/version.ts'
import { addAccounts } from './commands/accounts.ts'
import { addApiKeys } from './commands/api-keys.ts'
import { addAuditLogs } from './commands/audit-logs.ts'
import { addBackup } from './commands/backup.ts'
import { addCheckConfig } from './commands/check-config.ts'
import { addDeadLetters } from './commands/dead-letters.ts'
import { addDemo } from './commands/demo.ts'
import { addDoctor } from './commands/doctor.ts'
import { addEmailLog } from './commands/email-log.ts'
import { addEvents } from './commands/events.ts'
import { addExplain } from './commands/explain.ts'
import { addExport } from './commands/export.ts'
import { addHealth } from './commands/health.ts'
import { addInbox } from './commands/inbox.ts'
import { addKv } from './commands/kv.ts'
import { addMetrics } from './commands/metrics.ts'
import { addMigrate } from './commands/migrate.ts'
import { addPlayground } from './commands/playground.ts'
import { addProviders } from './commands/providers.ts'
import { addPsql } from './commands/psql.ts'
import { addQueues } from './commands/queues.ts'
import { addRecords } from './commands/records.ts'
import { addRestore } from './commands/restore.ts'
import { addRuns } from './commands/runs.ts'
import { addSchedules } from './commands/schedules.ts'
import { addScripts } from './commands/scripts.ts'
import { addSend } from './commands/send.ts'
import { addSimulate } from './commands/simulate.ts'
import { addStart } from './commands/start.ts'
import { addStreams } from './commands/streams.ts'
import { addSystemEvents } from './commands/system-events.ts'
import { addTemplates } from './commands/templates.ts'
import { addTenants } from './commands/tenants.ts'
import { addThreads, addTopics, addWatch } from './commands/topics.ts'
import { addTriggers } from './commands/triggers.ts'
import { addUsers } from './commands/users.ts'
import { addWebhooks } from './commands/webhooks.ts'
import { describeFailure, renderFailure } from './failure.ts'
import { addGlobalOptions, createOpen } from './invocation.ts'
import { stderrColors } from './output/colors.ts'
import type { Terminal } from './output/terminal.ts'

const FAILURE = 1
const USAGE = 2

/** Runs one command line and returns the exit code: 0 success, 1 failure, 2 wrong usage. */
export async function run(args: string[], terminal: Terminal): Promise<number> {
  let exitCode = 0
  const program = createProgram(terminal, () => {
    exitCode = FAILURE
  })
  try {
    await program.parseAsync(args, { from: 'user' })
    return exitCode
  } catch (error) {
    // Help and version end with 0; everything else that commander throws is a wrong usage it has already explained.
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
  addPlayground(program, open)
  addMigrate(program, open)
  addPsql(program, open)
  addBackup(program, open)
  addRestore(program, open)
  addCheckConfig(program, open)
  addDemo(program, open)
  addExport(program, open)
  addSend(program, open)
  addSimulate(program, open)
  addEvents(program, open)
  addSchedules(program, open)
  addStreams(program, open)
  addRuns(program, open)
  addKv(program, open)
  addQueues(program, open)
  addScripts(program, open)
  addTriggers(program, open)
  addRecords(program, open)
  addTopics(program, open)
  addWatch(program, open)
  addThreads(program, open)
  addInbox(program, open)
  addEmailLog(program, open)
  addExplain(program, open)
  addDeadLetters(program, open)
  addProviders(program, open)
  addWebhooks(program, open)
  addTemplates(program, open)
  addUsers(program, open)
  addApiKeys(program, open)
  addAccounts(program, open)
  addTenants(program, open)
  addSystemEvents(program, open)
  addMetrics(program, open)
  addAuditLogs(program, open)
  addHealth(program, open)
  addDoctor(program, open)
  return program
}

/** Must run before any command is added: commands copy these settings when they are created. */
function configure(program: Command, terminal: Terminal): void {
  const { stdout, stderr } = terminal
  program
    .description(
      'Self-hosted notifications: accepted once, delivered on every channel, explained at every step.',
    )
    .version(ownVersion())
    .exitOverride()
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError('(use --help to see what is possible)')
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
