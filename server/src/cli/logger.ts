/** The log of a running Carillon: JSON lines, to stdout or stderr. */
import { type Logger, pino } from 'pino'
import { type Config, describeConfig } from '../platform/config/config.ts'
import { activeIds } from '../platform/tracing/active-span.ts'
import type { Terminal } from './output/terminal.ts'

/**
 * Without a terminal, a service manager or container collects stdout, so the log goes there. On a terminal, stdout
 * belongs to the banner: the log goes to stderr and contains only warnings and errors, unless a level was set.
 */
export function createLogger(config: Config, terminal: Terminal, ownsStdout: boolean): Logger {
  const isForPerson = terminal.stdout.isTTY === true && !isLevelChosen(terminal)
  return pino(
    {
      level: isForPerson ? 'warn' : config.CARILLON_LOG_LEVEL,
      timestamp: pino.stdTimeFunctions.isoTime,
      ...(config.CARILLON_TRACES_URL !== '' && { mixin: activeIds }),
    },
    ownsStdout ? terminal.stdout : terminal.stderr,
  )
}

function isLevelChosen({ environment }: Terminal): boolean {
  return describeConfig(environment).some(
    ({ name, is_default }) => name === 'CARILLON_LOG_LEVEL' && !is_default,
  )
}
