import { expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'

const carillon = useCarillon()

/** The files that the document names. */
async function filesOf(path: string): Promise<string[]> {
  const { body } = await carillon.api.inject(path)
  return [...body.matchAll(/(?:src|href)="(\/dashboard\/[^"]+)"/g)].map(([, file]) => file!)
}

it('the document of the dashboard is the same at every address below /dashboard/', async () => {
  for (const path of ['/dashboard/', '/dashboard/activity/some-id', '/dashboard/people/ada?tab=devices']) {
    const { statusCode, headers, body } = await carillon.api.inject(path)
    expect([statusCode, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    expect(body).toContain('<div id="root">')
  }
})

it.each([
  ['/dashboard/activity/%', '/dashboard/activity/%25'],
  ['/dashboard/people/100%?tab=50%25', '/dashboard/people/100%25?tab=50%25'],
  ['/dashboard/people/%ff', '/dashboard/people/%25ff'],
])('the dashboard redirects an address with a bare percent sign: %s', async (url, meant) => {
  const accept = 'text/html,application/xhtml+xml,*/*;q=0.8'
  const { statusCode, headers } = await carillon.api.inject({ url, headers: { accept } })
  expect([statusCode, headers.location]).toEqual([302, meant])
  expect((await carillon.api.inject(meant)).body).toContain('<div id="root">')
  expect((await carillon.api.inject(url)).statusCode).toBe(400)
})

it('/dashboard redirects to /dashboard/', async () => {
  const { statusCode, headers } = await carillon.api.inject('/dashboard')
  expect([statusCode, headers.location]).toEqual([308, 'dashboard/'])
})

it('the dashboard allows no script and no style but its own, with a nonce that is never used again', async () => {
  const answers = await Promise.all([1, 2].map(() => carillon.api.inject('/dashboard/')))
  const nonces = answers.map(({ headers, body }) => {
    const policy = String(headers['content-security-policy'])
    expect(policy).not.toContain('unsafe')
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    const [, nonce] = /style-src 'self' 'nonce-([^']+)'/.exec(policy)!
    expect(body).toContain(`nonce="${nonce}"`)
    expect(body).not.toMatch(/<script(?![^>]*src=)/)
    return nonce
  })
  expect(nonces[0]).not.toBe(nonces[1])
  expect(answers[0]!.headers['cache-control']).toBe('no-store')
})

it('the dashboard names files that exist, compressed and kept for a year', async () => {
  const files = await filesOf('/dashboard/')
  expect(files.some(name => name.endsWith('.js'))).toBe(true)
  for (const url of files) {
    const { statusCode, headers } = await carillon.api.inject({
      url,
      headers: { 'accept-encoding': 'gzip' },
    })
    expect([url, statusCode, headers['content-encoding']]).toEqual([url, 200, 'gzip'])
    if (url.includes('/files/')) expect(headers['cache-control']).toContain('immutable')
  }
})

it('the frame that shows mails has an origin of its own and loads nothing', async () => {
  const { headers } = await carillon.api.inject('/dashboard/mail-frame.html')
  const policy = String(headers['content-security-policy'])
  expect(policy).toContain('sandbox allow-scripts')
  expect(policy).not.toContain('allow-same-origin')
  expect(policy).toContain('img-src data:')
})

it('the script of the frame that shows mails can be loaded from any origin', async () => {
  const [url] = await filesOf('/dashboard/mail-frame.html')
  const { statusCode, headers } = await carillon.api.inject(url!)
  expect([statusCode, headers['access-control-allow-origin']]).toEqual([200, '*'])
})
