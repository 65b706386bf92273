/** `carillon start`: run the chosen roles in this process until somebody stops it. */
import { readFileSync } from 'node:fs'
import { type Command, InvalidArgumentError } from 'commander'
import type { Logger } from 'pino'
import { apiKeyFile, type Config, hasPlayground, loadConfig } from '../../platform/config/config.ts'
import { ROLES, type Role } from '../../platform/config/settings.ts'
import { didYouMean } from '../../platform/text/did-you-mean.ts'
import type { Invocation, Open } from '../invocation.ts'
import { createLogger } from '../logger.ts'
import { type BannerFacts, renderBanner } from '../output/banner.ts'
import { stderrColors } from '../output/colors.ts'
import { listenForStop } from '../stop-request.ts'

export interface RunningCarillon {
  url: string | undefined
  healthUrl: string | undefined
  firstKey: string | undefined
  databaseNote: string
  /** A link to the playground; undefined where there is none. */
  playgroundUrl: string | undefined
  /** The dashboard, perhaps with a link that signs in; undefined without the API. */
  dashboardUrl: string | undefined
  stop(): Promise<void>
  /** Resolves when something essential has failed and cannot be restarted. */
  failed: Promise<Error>
}

export type StartCarillon = (options: {
  config: Config
  roles: Role[]
  log: Logger
}) => Promise<RunningCarillon>

export function addStart(program: Command, open: Open): void {
  program
    .command('start')
    .option(
      '--roles <list>',
      `what this process does: any of ${ROLES.join(',')} (CARILLON_ROLES)`,
      parseRoles,
    )
    .description('run Carillon')
    .action(async ({ roles }: { roles?: Role[] }, command: Command) => {
      // Imported when needed: commands that only use HTTP should not pay for loading the server.
      const { startCarillon } = await import('../../app.ts')
      await runUntilStopped(open(command), roles, startCarillon)
    })
}

export async function runUntilStopped(
  invocation: Invocation,
  chosenRoles: Role[] | undefined,
  startCarillon: StartCarillon,
): Promise<void> {
  const { terminal, print, endWithFailure } = invocation
  const config = loadConfig(terminal.environment)
  const roles = chosenRoles ?? config.CARILLON_ROLES
  const logOwnsStdout = !terminal.stdout.isTTY && !print.json
  const log = createLogger(config, terminal, logOwnsStdout)

  // From the very beginning: an interrupt during the start must not leave a half-started database behind.
  const stop = listenForStop(terminal)
  const carillon = await startCarillon({ config, roles, log })
  if (!stop.isRequested()) {
    const facts = bannerFacts(carillon, config, roles, terminal.stdout.isTTY === true)
    announce(invocation, facts, logOwnsStdout)
  }

  const end = await Promise.race([stop.requested, carillon.failed])
  if (end !== 'stop') {
    terminal.stderr.write(`${stderrColors(terminal).red('✗')} Carillon cannot continue: ${end.message}\n`)
    endWithFailure()
  }
  await carillon.stop()
}

/** When stdout carries the log, the banner goes to stderr so that every line of stdout stays JSON. */
function announce({ print, terminal }: Invocation, facts: BannerFacts, logOwnsStdout: boolean): void {
  const { url, healthUrl, playgroundUrl, dashboardUrl, isFirstStart, firstKey, keyFile, roles } = facts
  if (logOwnsStdout) terminal.stderr.write(`${renderBanner(facts, stderrColors(terminal))}\n`)
  else {
    const answer = {
      url: url ?? null,
      playground_url: playgroundUrl ?? null,
      dashboard_url: dashboardUrl ?? null,
      docs_url: url === undefined ? null : `${url}/docs`,
      health_url: healthUrl ?? url ?? null,
      first_api_key: firstKey ?? null,
      first_api_key_file: isFirstStart ? keyFile : null,
      roles,
    }
    print.show(answer, () => renderBanner(facts, print.colors))
  }
}

function bannerFacts(
  carillon: RunningCarillon,
  config: Config,
  roles: Role[],
  isTerminal: boolean,
): BannerFacts {
  const { url, healthUrl, playgroundUrl, dashboardUrl, firstKey, databaseNote } = carillon
  const keyFile = apiKeyFile(config.dataDir)
  return {
    roles,
    url,
    healthUrl,
    databaseNote,
    hasPlayground: hasPlayground(config),
    playgroundUrl: isTerminal ? playgroundUrl : undefined,
    // A collected log keeps no link that signs in.
    dashboardUrl: isTerminal ? dashboardUrl : dashboardUrl?.replace(/#.*$/, ''),
    needsFirstOwner: dashboardUrl?.includes('#') === true,
    isFirstStart: firstKey !== undefined,
    firstKey: isTerminal ? firstKey : undefined,
    keyFile,
    keyInShell: (isTerminal ? firstKey : undefined) ?? storedKey(keyFile, isTerminal),
  }
}

/** A key is shown only to a person: a collected log would keep it. */
function storedKey(keyFile: string, isTerminal: boolean): string {
  try {
    const key = readFileSync(keyFile, 'utf8').trim()
    return isTerminal ? key : `$(cat '${keyFile.replaceAll("'", "'\\''")}')`
  } catch {
    return '$CARILLON_API_KEY'
  }
}

function parseRoles(list: string): Role[] {
  return list.split(',').map(part => {
    const name = part.trim()
    const role = ROLES.find(role => role === name)
    if (role !== undefined) return role
    const meant = didYouMean(name, ROLES)
    throw new InvalidArgumentError(
      `"${name}" is not a role${meant === undefined ? '.' : `; did you mean ${meant}?`} Roles are ${ROLES.join(', ')}.`,
    )
  })
}
