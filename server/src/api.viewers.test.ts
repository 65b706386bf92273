/** Every operation that changes something, tried by somebody who may only look. */
import { expect, it } from 'vitest'
import { changingCalls } from '../test/calls/calls.ts'
import { problemOf, useCarillon } from '../test/carillon.ts'
import { operationsOf } from '../test/operations.ts'
import { aBrowserOf } from '../test/signed-in.ts'

const carillon = useCarillon()
const CALLS = changingCalls(carillon)

/** What is a viewer's own, and what proves its caller in another way than by a session. */
const ALLOWED = [
  'POST /v1/session',
  'PATCH /v1/session',
  'DELETE /v1/session',
  'PUT /v1/account',
  'DELETE /v1/sessions',
  'DELETE /v1/sessions/{id}',
  'POST /v1/invitations/read',
  'POST /v1/invitations/accept',
  'POST /v1/callbacks/{id}',
]

it('S016-1 a viewer’s session changes nothing but its own', async () => {
  const browser = await aBrowserOf(carillon, 'viewer')
  const changing = operationsOf(carillon.api).filter(({ method }) => method !== 'GET')
  expect(changing.map(({ name }) => name)).toEqual(expect.arrayContaining(ALLOWED))
  for (const { name, method } of changing) {
    if (ALLOWED.includes(name)) continue
    const { path, options = {} } = await CALLS[name]!()
    const before = await carillon.rowCounts()
    const body = method === 'POST' ? { body: {} } : {}
    const problem = problemOf(await browser.request(method, path, { ...body, ...options }))
    expect([name, problem.status, problem.code]).toEqual([name, 403, 'forbidden'])
    expect([name, await carillon.rowCounts()]).toEqual([name, before])
  }
})
