/** Reading a CloudEvent's attributes and data. Everything here throws a Refusal that names the attribute. */
import { createHash } from 'node:crypto'
import type { ErrorCode } from '@carillon/contract'
import { Refusal } from '../../platform/calls/refusal.ts'
import { hasUnstorableEscape } from '../../platform/text/json-text.ts'
import type { CloudEvent } from './cloud-event.ts'

const MAX_KEY_LENGTH = 255
/** As the standard's tables have them: `application/json`, and everything that ends in `+json`. */
const JSON_TYPE = /^[\w.+-]+\/(?:json|[\w.-]+\+json)\s*(?:;|$)/i

/** The attributes that every event has, checked. */
export function requiredOf({ attributes }: CloudEvent): { type: string; key: string } {
  const version = requireText(attributes, 'specversion')
  if (version !== '1.0')
    throw refuse(
      'invalid_request',
      'specversion',
      `Expected 1.0, the version of CloudEvents; got ${version}.`,
    )
  const id = requireText(attributes, 'id')
  const source = requireText(attributes, 'source')
  if (/\s/.test(source)) throw refuse('invalid_request', 'source', 'Expected a URI, without spaces.')
  return { type: requireText(attributes, 'type'), key: keyOf(source, id) }
}

/**
 * An event is the same one if source and id are. A source has no space, so two events never have the same key; a long
 * one is hashed and not cut for the same reason.
 */
function keyOf(source: string, id: string): string {
  const key = `${source} ${id}`
  return key.length <= MAX_KEY_LENGTH ? key : createHash('sha256').update(key).digest('hex')
}

export function textOf(attributes: CloudEvent['attributes'], name: string): string | undefined {
  const value = attributes[name]
  if (value === undefined || typeof value === 'string') return value
  throw refuse('invalid_request', name, 'Expected text: attributes of CloudEvents have no other shape.')
}

function requireText(attributes: CloudEvent['attributes'], name: string): string {
  const value = textOf(attributes, name)
  if (value === undefined || value === '') throw refuse('missing_field', name, 'Required.')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are refused
  if (/[\u0000-\u001f\u007f]/.test(value))
    throw refuse('invalid_request', name, 'Control characters are not allowed.')
  return value
}

/** `issue/42`: what the thread is, and its id. */
export function threadOf(attributes: CloudEvent['attributes']): { kind: string; id: string } | undefined {
  const text = textOf(attributes, 'thread')
  if (text === undefined) return undefined
  const [, kind, id] = /^([^/]+)\/(.+)$/.exec(text) ?? []
  if (kind === undefined || id === undefined)
    throw refuse('invalid_request', 'thread', 'Expected kind/id, such as issue/42.')
  return { kind, id }
}

/** The event's data, parsed, and its text; undefined if it has none. */
export function dataOf(event: CloudEvent): { value: unknown; text: string } | undefined {
  const { attributes, dataText } = event
  const type = textOf(attributes, 'datacontenttype')
  if (type !== undefined && !JSON_TYPE.test(type))
    throw refuse('invalid_request', 'datacontenttype', 'Expected application/json: data becomes the payload.')
  const encoded = textOf(attributes, 'data_base64')
  if (encoded === undefined) return dataText === undefined ? undefined : parseText(dataText, 'data')
  if (dataText !== undefined)
    throw refuse('invalid_request', 'data_base64', 'Give data or data_base64, not both.')
  return parseText(decode(encoded), 'data_base64')
}

function decode(encoded: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(encoded, 'base64'))
  } catch {
    throw refuse('invalid_payload', 'data_base64', 'Expected JSON in UTF-8, encoded as Base64.')
  }
}

/** JSON in an attribute. */
export function parseText(
  text: string,
  name: string,
  code: ErrorCode = 'invalid_payload',
): { value: unknown; text: string } {
  if (hasUnstorableEscape(text))
    throw refuse('unstorable_text', name, '\\u0000 and unpaired surrogates cannot be stored.')
  try {
    return { value: JSON.parse(text), text }
  } catch (error) {
    throw refuse(code, name, `Not valid JSON: ${(error as Error).message}.`)
  }
}

export function refuse(code: ErrorCode, field: string, message: string): Refusal {
  return new Refusal(code, `${field}: ${message}`, [{ field, message }])
}
