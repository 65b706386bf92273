import { expect, test } from 'vitest'
import { startFakeApi } from '../fake-api.fixture.ts'
import { carillon } from '../in-process.fixture.ts'

const created = { token: 'cut_x.y', expires_at: '2026-01-31T13:00:00.000Z' }

test('users token shows a token, alone on stdout so that a script can use it', async () => {
  const api = await startFakeApi({ 'POST /v1/users/ada/token': () => ({ status: 201, body: created }) })
  expect(await carillon(api.url, ['users', 'token', 'ada'])).toEqual({
    code: 0,
    stdout: 'cut_x.y\n',
    stderr: 'Works until 2026-01-31 13:00:00Z.\n',
  })
  const shown = await carillon(api.url, ['users', 'token', 'ada', '--ttl', '60', '--json'])
  expect(JSON.parse(shown.stdout)).toEqual(created)
  expect(api.calls).toEqual([
    ['POST /v1/users/ada/token', {}],
    ['POST /v1/users/ada/token', { ttl_seconds: 60 }],
  ])
})

test('users revoke-tokens', async () => {
  const api = await startFakeApi({ 'POST /v1/users/ada/tokens/revoke': () => ({ status: 204 }) })
  const outcome = await carillon(api.url, ['users', 'revoke-tokens', 'ada'])
  expect(outcome).toEqual({ code: 0, stdout: '✓ tokens of ada revoked\n', stderr: '' })
})

test.each([
  ['users token', "missing required argument 'id'"],
  ['users token ada --ttl soon', 'Expected a whole number of at least 1.'],
])('"carillon %s" is a misuse', async (args, reason) => {
  const outcome = await carillon('http://127.0.0.1:9', args.split(' '))
  expect(outcome.stderr).toContain(reason)
  expect(outcome).toMatchObject({ code: 2, stdout: '' })
})
