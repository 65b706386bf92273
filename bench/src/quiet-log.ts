/** The production logger at its default level, on the stdout that startChild discards. */
import { createLogger } from '../../server/dist/cli/logger.js'
import type { Terminal } from '../../server/dist/cli/output/terminal.js'
import { loadConfig } from '../../server/dist/platform/config/config.js'

const terminal: Pick<Terminal, 'stdout' | 'environment'> = { stdout: process.stdout, environment: {} }

export const log = createLogger(loadConfig({}), terminal as Terminal, true)
