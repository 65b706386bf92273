import { expect, test } from 'vitest'
import { EMPTY_DRAFT, intentOf, mistakeIn, starterOf } from './draft.ts'

test('a form becomes an intent without what was left empty', () => {
  expect(
    intentOf({ ...EMPTY_DRAFT, type: 'order_shipped', people: ['ada'], payload: '{"order_id":"7"}' }),
  ).toEqual({
    notification_type: 'order_shipped',
    audience: { kind: 'users', user_ids: ['ada'] },
    payload: { order_id: '7' },
  })
})

test('addresses are one per line, and their channel replaces the channels', () => {
  const draft = {
    ...EMPTY_DRAFT,
    audience: 'addresses' as const,
    addressChannel: 'sms' as const,
    channels: ['email' as const],
    addresses: ' +4915112345678 \n\n+12125550123',
  }
  expect(intentOf(draft)).toEqual({
    notification_type: '',
    audience: { kind: 'addresses', channel: 'sms', addresses: ['+4915112345678', '+12125550123'] },
    payload: JSON.parse(EMPTY_DRAFT.payload),
  })
})

test('a starter has every required field', () => {
  expect(JSON.parse(starterOf({ required_fields: ['order_id', 'carrier', 'tracking_url'] }))).toEqual({
    order_id: '1042',
    carrier: 'carrier',
    tracking_url: 'https://example.com',
  })
  expect(Object.keys(JSON.parse(starterOf({ required_fields: [] })))).toEqual(['title', 'body'])
})

test('a mistake does not say twice where it is', () => {
  expect(mistakeIn('{} x')?.message).not.toMatch(/position|line/)
})

test('mistakes are placed where they are', () => {
  expect(mistakeIn('{"a": 1}')).toBeUndefined()
  expect(mistakeIn('[]')).toMatchObject({ line: 1 })
  expect(mistakeIn('{\n  "a": 1,\n}')).toMatchObject({ line: 3 })
  expect(mistakeIn('{\n  "a": ')).toMatchObject({ line: 2 })
})
