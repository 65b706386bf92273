/** Turns the arguments of `carillon send` into an intent. */
import { readFile } from 'node:fs/promises'
import type { Audience, Channel, IntentInput } from '@carillon/contract'

export interface SendOptions {
  to?: string[]
  email?: string[]
  topic?: string
  tenantWide?: boolean
  channel?: Channel[]
  template?: string
  payload?: string
  key?: string
  sendAt?: string
  expiresAt?: string
  wait?: boolean
}

/** The arguments cannot be meant as they are. */
export class ArgumentMistake extends Error {}

export async function intentFrom(
  notification_type: string,
  options: SendOptions,
  readStdin: () => Promise<string>,
): Promise<IntentInput> {
  return {
    notification_type,
    audience: audienceFrom(options),
    payload: parsePayload(await readPayload(options.payload ?? '{}', readStdin)),
    ...(options.channel && { channels: options.channel }),
    ...(options.template && { template: options.template }),
    ...(options.sendAt && { send_at: options.sendAt }),
    ...(options.expiresAt && { expires_at: options.expiresAt }),
  }
}

function audienceFrom({ to, email, topic, tenantWide }: SendOptions): Audience {
  const given: Audience[] = [
    ...(to ? [{ kind: 'users' as const, user_ids: to }] : []),
    ...(email ? [{ kind: 'addresses' as const, channel: 'email' as const, addresses: email }] : []),
    ...(topic === undefined ? [] : [{ kind: 'topic' as const, topic }]),
    ...(tenantWide ? [{ kind: 'tenant' as const }] : []),
  ]
  const [audience, second] = given
  if (audience === undefined || second !== undefined) {
    throw new ArgumentMistake('say who should know with one of --to, --email, --topic or --tenant-wide')
  }
  return audience
}

/** As with curl: @ names a file, - is stdin, anything else is the text itself. */
async function readPayload(given: string, readStdin: () => Promise<string>): Promise<string> {
  if (given === '-') return readStdin()
  if (!given.startsWith('@')) return given
  try {
    return await readFile(given.slice(1), 'utf8')
  } catch (error) {
    throw new ArgumentMistake(`the payload cannot be read: ${(error as Error).message}`)
  }
}

function parsePayload(text: string): IntentInput['payload'] {
  let payload: unknown
  try {
    payload = JSON.parse(text)
  } catch (error) {
    throw new ArgumentMistake(`the payload is not JSON: ${(error as Error).message}`)
  }
  if (typeof payload === 'object' && payload !== null && !Array.isArray(payload)) {
    return payload as IntentInput['payload']
  }
  throw new ArgumentMistake('the payload must be a JSON object such as {"title":"Hello"}')
}
