/**
 * Whom an event is for. Attributes of CloudEvents are text, so the extension `audience` has a short form (`users:ada,bob`,
 * `topic:shop`, `tenant`, `admin_email`) and takes the audience of an intent as JSON. Without it, data may have one.
 */

import { parseText, refuse, textOf } from './attributes.ts'
import type { CloudEvent } from './cloud-event.ts'

const EXPECTED =
  'Expected users:ada,bob or topic:shop or tenant or admin_email, or the audience of an intent as JSON text.'
const MISSING =
  'Say who should know: in the extension attribute audience, such as users:ada,bob, or as an object in data.audience.'

export function audienceOf(attributes: CloudEvent['attributes'], data: unknown): unknown {
  if (typeof attributes.audience === 'object') throw refuse('invalid_audience', 'audience', EXPECTED)
  const text = textOf(attributes, 'audience')
  if (text !== undefined) return parseAudience(text.trim())
  const given = (data as { audience?: unknown } | null | undefined)?.audience
  if (given === undefined) throw refuse('missing_field', 'audience', MISSING)
  return given
}

function parseAudience(text: string): unknown {
  if (text.startsWith('{')) return parseText(text, 'audience', 'invalid_audience').value
  const [, kind, rest] = /^(\w+)(?::(.*))?$/s.exec(text) ?? []
  if ((kind === 'tenant' || kind === 'admin_email') && rest === undefined) return { kind }
  if (kind === 'topic' && rest !== undefined) return { kind, topic: rest }
  if (kind === 'users' && rest !== undefined) return { kind, user_ids: listOf(rest) }
  throw refuse('invalid_audience', 'audience', EXPECTED)
}

export const listOf = (text: string): string[] => text.split(',').map(item => item.trim())
