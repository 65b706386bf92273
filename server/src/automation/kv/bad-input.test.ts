import { describe, expect, it } from 'vitest'
import { problemOf, type RequestOptions, useCarillon } from '../../../test/carillon.ts'
import { transaction } from '../../platform/database/pool.ts'
import { setEntry } from './kv.ts'

const carillon = useCarillon()
const value = (text: string): RequestOptions => ({ rawBody: `{"value":${text}}` })
const nested = (depth: number) => value('['.repeat(depth) + ']'.repeat(depth))
const header = (name: string, text: string): RequestOptions => ({
  body: { value: 1 },
  headers: { [name]: text },
})

/** Must be refused as a problem with this code, name the field, and leave every table as it was. */
async function expectRefusal(path: string, options: RequestOptions, code: string, field?: string) {
  const before = await carillon.rowCounts()
  const problem = problemOf(await carillon.request('PUT', `/v1/kv/${path}`, options))
  expect(problem).toMatchObject({ code, status: code === 'payload_too_large' ? 413 : 400 })
  if (field !== undefined) expect(problem.errors?.map(error => error.field)).toContain(field)
  expect(await carillon.rowCounts()).toEqual(before)
}

describe('writing an entry', () => {
  it.each([
    ['no body', {}, 'invalid_request', 'value'],
    ['no value', { body: { ttl_seconds: 1 } }, 'invalid_request', 'value'],
    ['another field', { body: { value: 1, ttl: 1 } }, 'invalid_request', 'ttl'],
    ['a list', { rawBody: '[]' }, 'invalid_request', 'body'],
    ['broken JSON', { rawBody: '{"value":1' }, 'invalid_json'],
    ['bytes that are not UTF-8', { rawBody: Buffer.from('{"value":"\xff"}', 'latin1') }, 'invalid_utf8'],
    ['the escape of NUL', value('"\\u0000"'), 'unstorable_text'],
    ['a raw NUL', value('"\u0000"'), 'invalid_json'],
    ['half a character', value('{"\\ud83d":1}'), 'unstorable_text'],
    ['101 levels', nested(101), 'invalid_request', 'value'],
    ['5,000 levels', nested(5000), 'invalid_json'],
    ['30,000 levels', nested(30_000), 'invalid_json'],
    ['one byte too many', value(`"${'x'.repeat(65_535)}"`), 'payload_too_large', 'value'],
    ['too many bytes in few characters', value(`"${'é'.repeat(33_000)}"`), 'payload_too_large', 'value'],
    ['a body over 1 MiB', value(`"${'x'.repeat(1024 * 1024)}"`), 'payload_too_large'],
    ['no time to live', { body: { value: 1, ttl_seconds: 0 } }, 'invalid_request', 'ttl_seconds'],
    ['a broken time to live', { body: { value: 1, ttl_seconds: 1.5 } }, 'invalid_request', 'ttl_seconds'],
    ['an endless time to live', { body: { value: 1, ttl_seconds: 1e12 } }, 'invalid_request', 'ttl_seconds'],
    ['a version below 0', { body: { value: 1, version: -1 } }, 'invalid_request', 'version'],
    ['a version in quotes', { body: { value: 1, version: '1' } }, 'invalid_request', 'version'],
    ['a version without end', { rawBody: '{"value":1,"version":1e30}' }, 'invalid_request', 'version'],
  ] as [string, RequestOptions, string, string?][])(
    'with %s is refused',
    async (_name, options, code, field) => {
      await expectRefusal('c/k', options, code, field)
    },
  )

  it.each([
    '7',
    '"7',
    '"0"',
    '"-1"',
    '"7.0"',
    'W/"7"',
    '"7", "8"',
    '""',
    '"latest"',
    `"${'9'.repeat(16)}"`,
    '**',
  ])('with If-Match: %s is refused', text =>
    expectRefusal('c/k', header('if-match', text), 'invalid_request', 'if-match'),
  )

  it.each(['"7"', '', 'W/*', '*, *'])('with If-None-Match: %s is refused', text =>
    expectRefusal('c/k', header('if-none-match', text), 'invalid_request', 'if-none-match'),
  )

  it.each([
    [{ version: 0 }, { 'if-match': '"7"' }],
    [{ version: 7 }, { 'if-none-match': '*' }],
    [{}, { 'if-match': '*', 'if-none-match': '*' }],
  ])('with conditions that contradict each other is refused: %j %j', (body, headers) =>
    expectRefusal('c/k', { body: { value: 1, ...body }, headers }, 'invalid_request', 'version'),
  )

  it.each([
    ['a blank', 'a%20b', 'collection'],
    ['a star', 'a*', 'collection'],
    ['a slash', 'a%2Fb', 'collection'],
    ['a letter with an accent', '%C3%A9', 'collection'],
    ['a NUL', 'a%00', 'collection'],
    ['101 characters', 'c'.repeat(101), 'collection'],
  ])('into a collection with %s is refused', (_name, collection, field) =>
    expectRefusal(`${collection}/k`, { body: { value: 1 } }, 'invalid_request', field),
  )

  it.each([
    ['513 characters', 'k'.repeat(513), 'key'],
    ['a NUL', 'a%00', 'key'],
    ['a line break', 'a%0Ab', 'key'],
    ['nothing in it', '', undefined],
    ['bytes that are not UTF-8', '%ff', undefined],
    ['half a character', '%ED%A0%80', undefined],
    ['half a percent sign', 'a%2', undefined],
    ['thousands of characters', 'k'.repeat(3000), undefined],
  ])('under a key with %s is refused', async (_name, key, field) => {
    if (field !== undefined)
      return expectRefusal(`c/${key}`, { body: { value: 1 } }, 'invalid_request', field)
    const { status } = await carillon.request('PUT', `/v1/kv/c/${key}`, { body: { value: 1 } })
    expect([400, 404]).toContain(status)
  })

  it('with exactly as much as fits is fine', async () => {
    for (const options of [value(`"${'x'.repeat(65_534)}"`), nested(100)])
      expect((await carillon.request('PUT', '/v1/kv/c/k', options)).status).toBe(200)
    const longest = `/v1/kv/${'c'.repeat(100)}/${'k'.repeat(512)}`
    expect((await carillon.request('PUT', longest, { body: { value: 1 } })).status).toBe(200)
  })
})

describe('listing entries', () => {
  it.each([
    ['/v1/kv/a%20b', 'collection'],
    ['/v1/kv/c?prefix=%00', 'prefix'],
    [`/v1/kv/c?prefix=${'p'.repeat(513)}`, 'prefix'],
    [`/v1/kv/c?cursor=${'a'.repeat(3001)}`, 'cursor'],
    ['/v1/kv/c?key=k', 'key'],
    ['/v1/kv?prefix=a', 'prefix'],
  ])('%s is refused', async (path, field) => {
    const problem = problemOf(await carillon.request('GET', path))
    expect(problem).toMatchObject({ code: 'invalid_request', errors: [{ field }] })
  })
})

describe('a script', () => {
  it.each([
    ['a collection with a blank', { collection: 'a b' }, 'invalid_request', 'collection'],
    ['a collection of dots', { collection: '..' }, 'invalid_request', 'collection'],
    ['no key', { key: '' }, 'invalid_request', 'key'],
    ['a key of dots', { key: '..' }, 'invalid_request', 'key'],
    ['half a character as a key', { key: 'a\ud800' }, 'invalid_request', 'key'],
    ['a NUL in the key', { key: 'a\u0000' }, 'invalid_request', 'key'],
    ['the escape of NUL', { value_json: '"\\u0000"' }, 'unstorable_text', 'value'],
    ['5,000 levels', { value_json: '['.repeat(5000) + ']'.repeat(5000) }, 'invalid_request', 'value'],
    ['too much', { value_json: `"${'x'.repeat(65_535)}"` }, 'payload_too_large', 'value'],
  ])('that writes %s is refused too', async (_name, fields, code, field) => {
    const change = { collection: 'c', key: 'k', value_json: '1', ttl_seconds: null, ...fields }
    const cause = { depth: 1, origin: '' }
    const write = transaction(carillon.pool, tx => setEntry(tx, carillon.tenantId, change, cause))
    await expect(write).rejects.toMatchObject({ code, errors: [{ field }] })
  })
})
