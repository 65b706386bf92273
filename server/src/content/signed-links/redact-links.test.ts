import { expect, it } from 'vitest'
import { createKeyring, newMasterKey } from '../../platform/secrets/keyring.ts'
import { redactSignedLinks } from './redact-links.ts'
import { signToken } from './signed-links.ts'

const keyring = createKeyring([newMasterKey()])
const holder = { tenant_id: '01900000-0000-7000-8000-000000000000', user_id: 'ada' }
const tomorrow = new Date(Date.now() + 86_400_000)
const page = signToken(keyring, 'preferences', holder, tomorrow)
const leave = signToken(keyring, 'unsubscribe', { ...holder, channel: 'email', category: '' }, tomorrow)
const thread = { ...holder, thread_kind: 'issue', thread_id: '42' }
const leaveThread = signToken(keyring, 'thread', thread, tomorrow)
const foreign = signToken(createKeyring([newMasterKey()]), 'preferences', holder, tomorrow)

it.each([
  ['a link', `https://x.example/preferences/${page}`, 'https://x.example/preferences/sample'],
  ['the end of a sentence', `See ${leave}. Bye`, 'See sample. Bye'],
  ['a text with several', `${page} ${leave}\n${page}`, 'sample sample\nsample'],
  ['an encoded link', `to=x%2Funsubscribe%2F${leave}&a=b`, 'to=x%2Funsubscribe%2Fsample&a=b'],
  ['the link of a thread', `/unsubscribe/thread/${leaveThread}>`, '/unsubscribe/thread/sample>'],
  ['a text with words around one', `a.b.${leave}.c-d`, 'a.b.sample.c-d'],
  ['a text with two in a row', `${page}${leave}.x`, 'samplesample.x'],
  ['an expired link', signToken(keyring, 'preferences', holder, new Date(0)), 'sample'],
])('redactSignedLinks replaces the tokens in %s', (_what, text, shown) => {
  expect(redactSignedLinks(keyring, text)).toBe(shown)
})

it.each([
  '',
  'Hello.World 1.2.3 …',
  'https://x.example/preferences/sample',
  `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZGEifQ.${'a'.repeat(43)}`,
  foreign,
  page.slice(0, -1),
])('redactSignedLinks leaves "%s" as written', text => {
  expect(redactSignedLinks(keyring, text)).toBe(text)
})

it.each([
  ['starts', 'eyJ'.repeat(300_000)],
  ['dots', 'eyJ.'.repeat(20_000)],
])('redactSignedLinks reads a long text of many %s once', (_what, text) => {
  expect(redactSignedLinks(keyring, text)).toBe(text)
})
