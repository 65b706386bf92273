import { expect, test } from 'vitest'
import { http } from './http.ts'

test.each(['Host', 'content-length', 'Transfer-Encoding', 'proxy-authorization'])(
  'a provider cannot set %s, neither openly nor as a secret',
  name => {
    const headers = { [name]: 'x' }
    expect(http.config.safeParse({ url: 'https://example.com', headers }).success).toBe(false)
    expect(http.secrets.safeParse({ headers }).success).toBe(false)
  },
)
