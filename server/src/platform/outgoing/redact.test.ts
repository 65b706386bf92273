import { expect, it } from 'vitest'
import { createRedactor, secretsInHeaders, secretsInUrl } from './redact.ts'

it('hides a password in every form it could come back in', () => {
  const redact = createRedactor(secretsInUrl(new URL('smtp://bob:p%40ss%2Fword@mail.example')))
  const forms = [
    'p@ss/word',
    'p%40ss%2Fword',
    btoa('p@ss/word'),
    btoa('bob:p@ss/word'),
    btoa('\0bob\0p@ss/word'),
  ]
  for (const form of forms) expect(redact(`535 bad login ${form} here`)).toBe('535 bad login [redacted] here')
})

it('takes a bare percent sign in a password as it stands', () => {
  const redact = createRedactor(secretsInUrl(new URL('smtp://bob:100%zz@mail.example')))
  expect(redact('got 100%zz')).toBe('got [redacted]')
})

it('hides whole header values and a bearer token alone', () => {
  const redact = createRedactor(secretsInHeaders({ authorization: 'Bearer tok-123' }))
  expect(redact('got Bearer tok-123')).toBe('got [redacted]')
  expect(redact('token tok-123 is unknown')).toBe('token [redacted] is unknown')
})

it('leaves a text alone when there is nothing to hide', () => {
  const redact = createRedactor(secretsInUrl(new URL('smtp://mail.example')))
  expect(redact('550 no such user')).toBe('550 no such user')
})
