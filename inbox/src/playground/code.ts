/** The code that does what was just done: to paste into a shell, a program or psql. */
import type { PlaygroundStage } from '@carillon/sdk'
import type { Sent } from './session.ts'

export const LANGUAGES = ['curl', 'SDK', 'SQL'] as const
export type Language = (typeof LANGUAGES)[number]

type Where = Pick<PlaygroundStage, 'tenant' | 'is_first_tenant'>

/** `url` is where Carillon answers, without a slash at the end. */
export function codeFor(language: Language, sent: Sent, url: string, where: Where): string {
  return { curl, SDK: program, SQL: statement }[language](sent, url, where)
}

function curl({ as, document }: Sent, url: string, { is_first_tenant }: Where): string {
  const key = is_first_tenant ? '$(cat data/api-key)' : '"$CARILLON_API_KEY"'
  return `KEY=${key}
curl -sS ${url}/v1/${as} \\
  -H "Authorization: Bearer $KEY" -H "Content-Type: application/json" \\
  -d '${pretty(document).replaceAll("'", "'\\''")}'`
}

function program({ as, document }: Sent, url: string, { is_first_tenant }: Where): string {
  const call = as === 'events' ? 'events.emit' : 'intents.send'
  const reading = is_first_tenant ? "import { readFileSync } from 'node:fs'\n" : ''
  const apiKey = is_first_tenant
    ? "readFileSync('data/api-key', 'utf8').trim()"
    : 'process.env.CARILLON_API_KEY'
  return `${reading}import { createClient } from '@carillon/sdk'

const carillon = createClient({
  url: '${url}',
  apiKey: ${apiKey},
})
await carillon.${call}(${pretty(document)})`
}

/** `npx carillon psql` opens the database. In a transaction of your own, a rollback takes it back. */
function statement({ as, document }: Sent, _url: string, { tenant, is_first_tenant }: Where): string {
  const whole = is_first_tenant ? document : { tenant, ...document }
  const name = as === 'events' ? 'emit_event' : 'notify'
  return `select carillon.${name}('${pretty(whole).replaceAll("'", "''")}');`
}

const pretty = (document: object): string => JSON.stringify(document, null, 2)
