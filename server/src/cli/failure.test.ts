import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { problem, startFakeApi } from './fake-api.fixture.ts'
import { carillon } from './in-process.fixture.ts'
import { uuid } from './rows.fixture.ts'

const show = ['records', 'show', uuid(1)]
const failWith = (...[code, detail, more]: Parameters<typeof problem>) =>
  startFakeApi({ [`GET /v1/records/${uuid(1)}`]: () => problem(code, detail, more) })

test('a problem is shown with its fields and request id', async () => {
  const api = await failWith('invalid_request', 'The query is wrong.', {
    errors: [
      { field: 'limit', message: 'Expected a number.' },
      { field: 'cursor', message: 'Not a cursor of this list.' },
    ],
    request_id: 'req-1',
  })
  expect(await carillon(api.url, show)).toEqual({
    code: 1,
    stdout: '',
    stderr: `✗ The request does not have the expected shape: The query is wrong.
    limit: Expected a number.
    cursor: Not a cursor of this list.
  request id req-1
`,
  })
})

test('a wrong key gets a hint about where keys come from', async () => {
  const api = await failWith('not_found', '')
  const { code, stderr } = await carillon(api.url, [...show, '--api-key', 'ck_wrong'])
  expect(code).toBe(1)
  expect(stderr).toMatch(
    /^✗ A valid API key is required: No such key\.\n {2}→ The key comes from --api-key, or else/,
  )
})

test('a refused connection gets a hint about how to start', async () => {
  const url = `http://127.0.0.1:${await portWithoutListener()}`
  const outcome = await carillon(url, ['health'])
  expect(outcome.code).toBe(1)
  expect(outcome.stderr).toContain(`✗ Cannot reach Carillon at ${url}: connect ECONNREFUSED`)
  expect(outcome.stderr).toContain(`→ Is Carillon running at ${url}? Start it with npm start`)
})

test('with --json the failure is a JSON document on stderr, and stdout stays empty', async () => {
  const api = await failWith('not_found', 'There is no record.', { request_id: 'req-2' })
  const { code, stdout, stderr } = await carillon(api.url, [...show, '--json'])
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(JSON.parse(stderr)).toEqual({
    code: 'not_found',
    message: 'Not found: There is no record.',
    status: 404,
    errors: [],
    request_id: 'req-2',
  })
})

test('text from elsewhere cannot steer the terminal', async () => {
  const api = await failWith('not_found', 'gone\u001b[2J\u001b]0;title\u0007\nfake line\u202eevil')
  const { stderr } = await carillon(api.url, show)
  expect(stderr).toBe('✗ Not found: gone [2J ]0;title\nfake line evil\n')
})

async function portWithoutListener(): Promise<number> {
  const server = createServer()
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  await new Promise(closed => server.close(closed))
  return port
}
