import { expect, it } from 'vitest'
import { parseNatsServers } from './nats-servers.ts'

const NOBODY = { user: undefined, password: undefined, token: undefined, credentialsFile: undefined }

it.each([
  ['nats://a:4222', { ...NOBODY, servers: ['a:4222'], isTls: false }],
  ['nats://a:4222, nats://b:4223', { ...NOBODY, servers: ['a:4222', 'b:4223'], isTls: false }],
  ['tls://a', { ...NOBODY, servers: ['a'], isTls: true }],
  [
    'nats://ada:p%40ss@a:4222,nats://b:4222',
    { ...NOBODY, servers: ['a:4222', 'b:4222'], isTls: false, user: 'ada', password: 'p@ss' },
  ],
  ['nats://secret@a:4222', { ...NOBODY, servers: ['a:4222'], isTls: false, token: 'secret' }],
  [
    'tls://a:4222?credentials=/run/user.creds',
    { ...NOBODY, servers: ['a:4222'], isTls: true, credentialsFile: '/run/user.creds' },
  ],
])('%s names servers and who we are there', (text, expected) => {
  expect(parseNatsServers(text)).toEqual(expected)
})

it.each([
  '',
  'a:4222',
  'http://a:4222',
  'nats://',
  'nats://a:4222,b:4222',
  'nats://ada:hidden@a:4222?creds=/x',
  'nats://ada:12?hidden@a:4222',
  'nats://ada:hidden%@a:4222',
])('%s is refused with what is expected, and without a password', text => {
  expect(() => parseNatsServers(text)).toThrow(/^Expected addresses such as nats:/)
  expect(() => parseNatsServers(text)).not.toThrow(/hidden/)
})
