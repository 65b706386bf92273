/** What a person sees when Carillon has started: its address, the key, and commands to paste. */
import type { Colors } from './colors.ts'

export interface BannerFacts {
  roles: string[]
  /** undefined when this process does not serve the API. */
  url: string | undefined
  /** Where it says how it is, if not under the API's address. */
  healthUrl: string | undefined
  databaseNote: string
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
