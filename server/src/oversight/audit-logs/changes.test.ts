import { expect, it } from 'vitest'
import { changesBetween } from './changes.ts'

it.each([
  ['all of a new resource', undefined, { a: 1 }, null, { a: 1 }],
  ['all of a deleted resource', { a: 1 }, undefined, { a: 1 }, null],
  ['what differs after a change', { a: 1, b: 2 }, { a: 1, b: 3 }, { b: 2 }, { b: 3 }],
  ['nothing that stayed the same', { a: [1], b: { c: null } }, { a: [1], b: { c: null } }, {}, {}],
  ['an added field and a removed one', { a: 1 }, { b: 2 }, { a: 1 }, { b: 2 }],
  ['no time of the change', { a: 1, updated_at: 1 }, { a: 1, updated_at: 2 }, {}, {}],
  ['dates as the API writes them', undefined, { at: new Date(0) }, null, { at: '1970-01-01T00:00:00.000Z' }],
])('an audit row shows %s', (_name, before, after, old_values, new_values) => {
  expect(changesBetween(before, after)).toEqual({ old_values, new_values })
})

it.each([
  ['key', 'ck_1'],
  ['api_key', { key: 'x' }],
  ['apiKey', 'x'],
  ['token', 'x'],
  ['access_token', 'x'],
  ['secrets', { password: 'x' }],
  ['webhook_secret', 'x'],
  ['Password', 'x'],
  ['passphrase', 'x'],
  ['dkim_private_key', 'x'],
  ['Authorization', 'Bearer x'],
])('an audit row redacts the secret in the field %s', (name, secret) => {
  const { new_values } = changesBetween(undefined, { [name]: secret, deep: [{ [name]: secret }] })
  expect(new_values).toEqual({ [name]: '[redacted]', deep: [{ [name]: '[redacted]' }] })
})

it.each(['idempotency_key', 'key_id', 'has_secrets', 'hint', 'computed_key_window_seconds'])(
  'an audit row shows the field %s, which is no secret',
  name => {
    expect(changesBetween(undefined, { [name]: 'shown' }).new_values).toEqual({ [name]: 'shown' })
  },
)

it('an audit row shows whether a secret is set, but not the secret', () => {
  expect(changesBetween({ secret: null }, { secret: 'x' })).toEqual({
    old_values: { secret: null },
    new_values: { secret: '[redacted]' },
  })
})

it('an audit row shows that one secret replaced another', () => {
  expect(changesBetween({ secret: 'x', a: 1 }, { secret: 'y', a: 1 })).toEqual({
    old_values: { secret: '[redacted]' },
    new_values: { secret: '[redacted]' },
  })
})

it.each([
  ['https://example.com/hooks', 'https://example.com/hooks'],
  ['https://example.com/hooks?token=abc&b=', 'https://example.com/hooks?[redacted]'],
  ['https://example.com/hook?4fGhJkLmNpQrStUvWxYz12', 'https://example.com/hook?[redacted]'],
  ['https://example.com/hook?', 'https://example.com/hook'],
  ['http://ada:pw@example.com:8080/x#part', 'http://[redacted]@example.com:8080/x'],
  [
    'https://hooks.example.com/services/T01/4fGhJkLmNpQrStUvWxYz',
    'https://hooks.example.com/services/T01/[redacted]',
  ],
  [
    'https://example.com/01900000-0000-7000-8000-000000000000/order-notifications-receiver',
    'https://example.com/[redacted]/order-notifications-receiver',
  ],
  ['https://example.com/AbCdEfGhIjKlMnOpQrSt/x', 'https://example.com/[redacted]/x'],
  ['https://example.com/abcdefghij_klmnopqrst', 'https://example.com/[redacted]'],
  ['https://example.com/abcdefghijklmnopqrst', 'https://example.com/[redacted]'],
  ['https://example.com/abcdefghijklmnopqrs1', 'https://example.com/[redacted]'],
  ['https://example.com/a%20b%20c%20d%20e%20f', 'https://example.com/[redacted]'],
  ['https://example.com/Short-Piece_19chars', 'https://example.com/Short-Piece_19chars'],
  ['see https://example.com?a=b', 'see https://example.com?a=b'],
  ['https://not an address', 'https://not an address'],
])('an audit row shows the address %s as %s', (url, shown) => {
  expect(changesBetween(undefined, { url }).new_values).toEqual({ url: shown })
})

it('an audit row of more than 32 KiB shows only the names and sizes of its fields', () => {
  const { new_values } = changesBetween(undefined, { small: 1, large: 'x'.repeat(33_000) })
  expect(new_values).toEqual({ omitted_bytes: { small: 1, large: 33_002 } })
})
