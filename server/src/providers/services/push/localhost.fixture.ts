/**
 * A self-signed certificate for localhost and 127.0.0.1, with its key. It is public, so it protects nothing: for tests
 * and benchmarks only, which need TLS that they can trust.
 */
import { readFileSync } from 'node:fs'

const pem = readFileSync(new URL('../../../../test/receivers/localhost.pem', import.meta.url), 'utf8')

/** Each reader takes its own part of the file. */
export const localhost = { key: pem, cert: pem }
