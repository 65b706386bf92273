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
  ['several', `${page} ${leave}\n${page}`, 'sample sample\nsample'],
  ['an encoded link', `to=x%2Funsubscribe%2F${leave}&a=b`, 'to=x%2Funsubscribe%2Fsample&a=b'],
  ['the link of a thread', `/unsubscribe/thread/${leaveThread}>`, '/unsubscribe/thread/sample>'],
  ['words around it', `a.b.${leave}.c-d`, 'a.b.sample.c-d'],
  ['one right after the other', `${page}${leave}.x`, 'samplesample.x'],
  ['an expired one', signToken(keyring, 'preferences', holder, new Date(0)), 'sample'],
])('replaces tokens: %s', (_what, text, shown) => {
  expect(redactSignedLinks(keyring, text)).toBe(shown)
})

it.each([
  '',
  'Hello.World 1.2.3 …',
  'https://x.example/preferences/sample',
  `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZGEifQ.${'a'.repeat(43)}`,
  foreign,
  page.slice(0, -1),
])('leaves the rest: %s', text => {
  expect(redactSignedLinks(keyring, text)).toBe(text)
})

it.each([
  ['starts', 'eyJ'.repeat(300_000)],
  ['dots', 'eyJ.'.repeat(20_000)],
])('reads a text of many %s once', (_what, text) => {
  expect(redactSignedLinks(keyring, text)).toBe(text)
})
