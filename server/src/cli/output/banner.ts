/** What a person sees when Carillon has started: where it is, the key, and a line to paste. */
import type { Colors } from './colors.ts'

export interface BannerFacts {
  roles: string[]
  /** undefined when this process does not serve the API. */
  url: string | undefined
  databaseNote: string
  /** The first key when it was just made, and the file it was left in. */
  firstKey: string | undefined
  keyFile: string
  /** What stands for the key in a shell: the key, or an expression that gives it. */
  keyInShell: string
}

const FIRST_INTENT = JSON.stringify({
  notification_type: 'welcome',
  audience: { kind: 'addresses', channel: 'email', addresses: ['ada@example.com'] },
  payload: { title: 'Hello Ada', body: 'Your first notification.' },
})

export function renderBanner(facts: BannerFacts, colors: Colors): string {
  const { url, roles, databaseNote, firstKey, keyFile } = facts
  const { bold, green } = colors
  return [
    '',
    `${green('✓')} ${bold('Carillon is running')} (${roles.join(', ')})`,
    '',
    ...(url === undefined ? [] : [`  API       ${bold(url)}`, `  Docs      ${url}/docs`]),
    `  Database  ${databaseNote}`,
    ...(firstKey === undefined ? [] : [`  API key   ${bold(firstKey)}  (kept in ${keyFile})`]),
    ...(url === undefined ? [] : firstSteps(url, facts.keyInShell, colors)),
    '',
  ].join('\n')
}

function firstSteps(url: string, key: string, { dim }: Colors): string[] {
  const authorization = `-H "Authorization: Bearer ${key}"`
  return [
    '',
    dim('Send a first notification:'),
    `curl -sS ${url}/v1/intents ${authorization} -H "Content-Type: application/json" -d '${FIRST_INTENT}'`,
    '',
    dim('See what was sent, or with the notification_id of the answer how it came about:'),
    `curl -sS ${url}/v1/captured-messages ${authorization}`,
    'npx carillon explain <notification_id>',
  ]
}
