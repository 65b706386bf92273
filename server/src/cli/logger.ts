/** The log of a running Carillon: JSON lines, and where they go. */
import { type Logger, pino } from 'pino'
import { type Config, describeConfig } from '../platform/config/config.ts'
import type { Terminal } from './output/terminal.ts'

/**
 * A service manager or container collects stdout, so without a terminal the log is what stdout is for. On a terminal a
 * person reads, and stdout belongs to the banner: the log then goes to stderr and only says what is wrong, unless the
 * level was chosen.
 */
export function createLogger(config: Config, terminal: Terminal, ownsStdout: boolean): Logger {
  const isForPerson = terminal.stdout.isTTY === true && !isLevelChosen(terminal)
  return pino(
    { level: isForPerson ? 'warn' : config.CARILLON_LOG_LEVEL, timestamp: pino.stdTimeFunctions.isoTime },
    ownsStdout ? terminal.stdout : terminal.stderr,
  )
}

function isLevelChosen({ environment }: Terminal): boolean {
  return describeConfig(environment).some(
    ({ name, is_default }) => name === 'CARILLON_LOG_LEVEL' && !is_default,
  )
}
