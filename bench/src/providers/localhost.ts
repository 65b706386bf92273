/** Key and certificate that the tests of the push providers use; public, and good for this machine only. */
import { readFileSync } from 'node:fs'

export const localhostPem = readFileSync(
  new URL('../../../server/test/receivers/localhost.pem', import.meta.url),
  'utf8',
)
