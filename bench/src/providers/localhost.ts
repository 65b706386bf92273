/** The key and certificate of the push providers' tests; public, and valid for this machine only. */
import { readFileSync } from 'node:fs'

export const localhostPem = readFileSync(
  new URL('../../../server/test/receivers/localhost.pem', import.meta.url),
  'utf8',
)
