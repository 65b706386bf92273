import type { NodemailerError } from 'nodemailer'
import { describe, expect, it } from 'vitest'
import { smtpFailure } from './smtp-outcome.ts'

function failure(fields: Partial<NodemailerError>): NodemailerError {
  return Object.assign(new Error(fields.message ?? 'failed'), fields)
}

describe('S000-23: a reply of the server decides', () => {
  it.each<[string, Partial<NodemailerError>, string]>([
    ['421 while greeting', { responseCode: 421, code: 'ECONNECTION' }, 'retry'],
    ['450 greylisted at RCPT', { responseCode: 450, code: 'EENVELOPE' }, 'retry'],
    ['451 at MAIL', { responseCode: 451, code: 'EENVELOPE' }, 'retry'],
    ['452 at DATA', { responseCode: 452, code: 'EMESSAGE' }, 'retry'],
    ['454 for a login, which RFC 4954 calls temporary', { responseCode: 454, code: 'EAUTH' }, 'retry'],
    ['454 for STARTTLS', { responseCode: 454, code: 'ETLS' }, 'retry'],
    ['503 bad sequence', { responseCode: 503, code: 'EENVELOPE' }, 'retry'],
    ['530 at MAIL', { responseCode: 530, code: 'EENVELOPE' }, 'config'],
    ['534 at AUTH', { responseCode: 534, code: 'EAUTH' }, 'config'],
    ['535 at AUTH', { responseCode: 535, code: 'EAUTH' }, 'config'],
    ['538 at AUTH', { responseCode: 538, code: 'EAUTH' }, 'config'],
    ['504 at AUTH', { responseCode: 504, code: 'EAUTH' }, 'config'],
    ['554 while greeting', { responseCode: 554, code: 'EPROTOCOL' }, 'config'],
    ['550 at RCPT', { responseCode: 550, code: 'EENVELOPE' }, 'permanent'],
    ['552 at DATA', { responseCode: 552, code: 'EMESSAGE' }, 'permanent'],
    ['554 at DATA', { responseCode: 554, code: 'EMESSAGE' }, 'permanent'],
  ])('%s, whether or not the body had left', (_case, fields, kind) => {
    expect(smtpFailure(failure(fields), false).kind).toBe(kind)
    expect(smtpFailure(failure(fields), true).kind).toBe(kind)
  })
})

describe('S000-23: without a reply', () => {
  it('no file left for another connection is our own trouble, and no mail server’s', () => {
    const starved = failure({ code: 'ESOCKET', originalCode: 'EMFILE' })
    expect(smtpFailure(starved, false)).toMatchObject({ kind: 'retry', is_own: true })
  })

  it.each<[string, Partial<NodemailerError>, string]>([
    ['a refused connection', { code: 'ESOCKET', originalCode: 'ECONNREFUSED' }, 'retry'],
    ['an unknown host', { code: 'EDNS', originalCode: 'ENOTFOUND' }, 'retry'],
    ['a timeout', { code: 'ETIMEDOUT' }, 'retry'],
    ['a connection closed', { code: 'ECONNECTION' }, 'retry'],
    ['a connection closed in STARTTLS', { code: 'ETLS', message: 'Connection closed unexpectedly' }, 'retry'],
    ['an aborted body', { code: 'ESTREAM' }, 'retry'],
    ['a self-signed certificate', { code: 'ESOCKET', originalCode: 'DEPTH_ZERO_SELF_SIGNED_CERT' }, 'config'],
    ['an expired certificate', { code: 'ESOCKET', originalCode: 'CERT_HAS_EXPIRED' }, 'config'],
    ['another host name', { code: 'ESOCKET', originalCode: 'ERR_TLS_CERT_ALTNAME_INVALID' }, 'config'],
    ['no TLS on that port', { code: 'ESOCKET', originalCode: 'ERR_SSL_WRONG_VERSION_NUMBER' }, 'config'],
    ['missing credentials', { code: 'ENOAUTH' }, 'config'],
    ['an impossible recipient', { code: 'EENVELOPE' }, 'permanent'],
    ['a message over the announced size', { code: 'EMESSAGE' }, 'permanent'],
  ])('%s means the obvious', (_case, fields, kind) => {
    expect(smtpFailure(failure(fields), false).kind).toBe(kind)
  })

  it('anything is uncertain once the whole body has left', () => {
    const outcome = smtpFailure(failure({ code: 'ECONNECTION', message: 'Connection closed' }), true)
    expect(outcome).toEqual({
      kind: 'uncertain',
      message: 'Connection closed (after the whole message was sent)',
    })
  })
})
