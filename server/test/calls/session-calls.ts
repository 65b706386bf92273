/** Calls about signing in, and about who may: sessions, accounts, members, invitations. */
import { expect } from 'vitest'
import type { RequestOptions, TestCarillon } from '../carillon.ts'
import { aBrowserOf, anAccount, openBrowser, PASSWORD } from '../signed-in.ts'
import { type Calls, create } from './call.ts'

/** A session proves itself by its cookie. */
const withCookie = (cookie: string, body?: object): RequestOptions => ({
  key: null,
  headers: { cookie, 'x-carillon-dashboard': '1' },
  ...(body !== undefined && { body }),
})
const someId = expect.any(String) as unknown as string
let unique = 0

export function sessionCalls(carillon: TestCarillon): Calls {
  const asViewer = () => aBrowserOf(carillon, 'viewer')
  const anInvitation = () => ({ email: `called-${++unique}@example.com`, role: 'viewer' as const })
  const aToken = async () => {
    const { body } = await carillon.request('POST', '/v1/invitations', { body: anInvitation() })
    return { id: body.id as string, token: body.url.split('=')[1] as string }
  }

  return {
    'POST /v1/session': async () => {
      const { email } = await anAccount(carillon, 'viewer')
      const options = { key: null, body: { email, password: PASSWORD } }
      return { path: '/v1/session', options, row: () => ['sign_in', 'session', someId] }
    },
    'PATCH /v1/session': async () => {
      const { cookie } = await asViewer()
      return { path: '/v1/session', options: withCookie(cookie, { tenant_id: carillon.tenantId }) }
    },
    'DELETE /v1/session': async () => ({
      path: '/v1/session',
      options: withCookie((await asViewer()).cookie),
    }),
    'PUT /v1/account': async () => {
      const { cookie, account } = await asViewer()
      const options = withCookie(cookie, { name: 'Renamed' })
      return { path: '/v1/account', options, row: () => ['update', 'account', account.id] }
    },
    'DELETE /v1/sessions': async () => {
      const options = withCookie((await asViewer()).cookie)
      return { path: '/v1/sessions', options, row: () => ['revoke', 'session', null] }
    },
    'DELETE /v1/sessions/{id}': async () => {
      const { cookie, account } = await asViewer()
      const other = openBrowser(carillon)
      await other.signIn({ email: account.email, password: PASSWORD })
      const { data } = (await other.request('GET', '/v1/sessions')).body
      const id = data.find((each: { current: boolean }) => each.current).id
      return {
        path: `/v1/sessions/${id}`,
        options: withCookie(cookie),
        row: () => ['revoke', 'session', id],
      }
    },
    'PATCH /v1/members/{account_id}': async () => {
      const { id } = await anAccount(carillon, 'viewer')
      const options = { body: { role: 'operator' } }
      return { path: `/v1/members/${id}`, options, row: () => ['update', 'member', id] }
    },
    'DELETE /v1/members/{account_id}': async () => {
      const { id } = await anAccount(carillon, 'viewer')
      return { path: `/v1/members/${id}`, row: () => ['delete', 'member', id] }
    },
    'POST /v1/invitations': () => ({
      path: '/v1/invitations',
      options: { body: anInvitation() },
      row: body => ['create', 'invitation', body.id],
    }),
    'DELETE /v1/invitations/{id}': async () => {
      const id = await create(carillon, '/v1/invitations', anInvitation())
      return { path: `/v1/invitations/${id}`, row: () => ['delete', 'invitation', id] }
    },
    'POST /v1/invitations/read': async () => {
      const { token } = await aToken()
      return { path: '/v1/invitations/read', options: { key: null, body: { token } } }
    },
    'POST /v1/invitations/accept': async () => {
      const { id, token } = await aToken()
      const options = { key: null, body: { token, password: PASSWORD } }
      return { path: '/v1/invitations/accept', options, row: () => ['accept', 'invitation', id] }
    },
  }
}
