/** What a person sees when Carillon has started: its address, the key, and commands to paste. */
import type { Colors } from './colors.ts'

export interface BannerFacts {
  roles: string[]
  /** undefined when this process does not serve the API. */
  url: string | undefined
  /** Where it says how it is, if not under the API's address. */
  healthUrl: string | undefined
  databaseNote: string
  /** The link to the playground, if a person is looking; undefined where there is none. */
  playgroundUrl: string | undefined
  hasPlayground: boolean
  /** The dashboard; for a person who is looking, with a link that signs in the first owner. */
  dashboardUrl: string | undefined
  /** Nobody has an account yet. */
  needsFirstOwner: boolean
  /** The first key was just created. */
  isFirstStart: boolean
  /** That key, if a person is looking; in any case it is stored in the file. */
  firstKey: string | undefined
  keyFile: string
  /** The key as written in a shell: the key itself, or an expression that yields it. */
  keyInShell: string
}

const FIRST_INTENT = JSON.stringify({
  notification_type: 'welcome',
  audience: { kind: 'addresses', channel: 'email', addresses: ['ada@example.com'] },
  payload: { title: 'Hello Ada', body: 'Your first notification.' },
})

export function renderBanner(facts: BannerFacts, colors: Colors): string {
  const { url, healthUrl, roles, databaseNote, isFirstStart, firstKey, keyFile } = facts
  const { bold, green } = colors
  return [
    '',
    `${green('✓')} ${bold('Carillon is running')} (${roles.join(', ')})`,
    '',
    ...playgroundLines(facts, colors),
    ...dashboardLines(facts, colors),
    ...(url === undefined ? [] : [`  API       ${bold(url)}`, `  Docs      ${url}/docs`]),
    ...(healthUrl === undefined ? [] : [`  Health    ${healthUrl}/readyz`]),
    `  Database  ${databaseNote}`,
    ...(isFirstStart
      ? [`  API key   ${firstKey === undefined ? keyFile : `${bold(firstKey)}  (stored in ${keyFile})`}`]
      : []),
    ...(url === undefined ? [] : firstSteps(url, facts.keyInShell, colors)),
    '',
  ].join('\n')
}

/** First, since it is what a newcomer should open. A collected log gets only the command that prints the link. */
function playgroundLines({ url, hasPlayground, playgroundUrl }: BannerFacts, { bold }: Colors): string[] {
  if (url === undefined || !hasPlayground) return []
  if (playgroundUrl === undefined)
    return ['  Try it    npx carillon playground  (prints a link that works for a day)']
  return [`  Try it    ${bold(playgroundUrl)}`]
}

/** Its link works once, and as long as nobody has an account. */
function dashboardLines({ dashboardUrl, needsFirstOwner }: BannerFacts, { bold }: Colors): string[] {
  if (dashboardUrl === undefined) return []
  const isShown = !needsFirstOwner || dashboardUrl.includes('#')
  return [
    `  Dashboard ${isShown ? bold(dashboardUrl) : `${dashboardUrl}  (npx carillon accounts link prints a link that signs in)`}`,
  ]
}

function firstSteps(url: string, key: string, { dim }: Colors): string[] {
  const authorization = `-H "Authorization: Bearer ${key}"`
  return [
    '',
    dim('Send your first notification:'),
    `curl -sS ${url}/v1/intents ${authorization} -H "Content-Type: application/json" -d '${FIRST_INTENT}'`,
    '',
    dim('See what was sent, or use the notification_id from the answer to see how it came about:'),
    `curl -sS ${url}/v1/captured-messages ${authorization}`,
    'npx carillon explain <notification_id>',
  ]
}
