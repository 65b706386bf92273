import type { NodemailerError } from 'nodemailer'
import { describe, expect, it } from 'vitest'
import { faultOf } from './provider.ts'
import { smtpFailure } from './smtp-outcome.ts'

function failure(fields: Partial<NodemailerError>): NodemailerError {
  return Object.assign(new Error(fields.message ?? 'failed'), fields)
}

describe('a reply of the server decides', { tags: 'S000-23' }, () => {
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

describe('whose fault it is', () => {
  it.each<[command: string, reply: string, kind: string, fault: string]>([
    ['RCPT TO', '450 greylisted', 'retry', 'recipient'],
    ['RCPT TO', '452 mailbox full', 'retry', 'recipient'],
    ['RCPT TO', '421 closing', 'retry', 'provider'],
    ['RCPT TO', '503 bad sequence', 'retry', 'provider'],
    ['RCPT TO', '550 no thanks', 'permanent', 'recipient'],
    ['RCPT TO', '550 5.1.1 no such user', 'permanent', 'recipient'],
    ['RCPT TO', '554 5.7.1 <ada@example.com>: Relay access denied', 'config', 'account'],
    ['RCPT TO', '550 5.7.1 Unable to relay', 'config', 'account'],
    ['MAIL FROM', '451 local error', 'retry', 'provider'],
    ['MAIL FROM', '450 4.1.8 sender domain not found', 'config', 'account'],
    ['MAIL FROM', '550 sender not allowed', 'config', 'account'],
    ['MAIL FROM', '553 5.7.1 sender address rejected: not owned by user', 'config', 'account'],
    ['DATA', '451 local error', 'retry', 'provider'],
    ['DATA', '452 4.3.1 insufficient system storage', 'retry', 'provider'],
    ['DATA', '451 4.7.1 try again later', 'retry', 'message'],
    ['DATA', '451 Greylisted', 'retry', 'recipient'],
    ['DATA', '554 looks like spam', 'permanent', 'message'],
    ['DATA', '554 Message rejected: Email address is not verified.', 'config', 'account'],
    ['DATA', '554 5.2.252 SendAsDenied', 'config', 'account'],
    ['AUTH PLAIN', '535 wrong password', 'config', 'account'],
  ])('%s → %s: %s, the fault of the %s', (command, reply, kind, fault) => {
    const code = command === 'DATA' ? 'EMESSAGE' : command.startsWith('AUTH') ? 'EAUTH' : 'EENVELOPE'
    const fields = { code, command, responseCode: Number(reply.slice(0, 3)), response: reply }
    const outcome = smtpFailure(failure(fields), command === 'DATA')
    expect([outcome.kind, faultOf(outcome)]).toEqual([kind, fault])
  })

  it('an address that does not exist is suppressed', () => {
    const fields = { code: 'EENVELOPE', command: 'RCPT TO', responseCode: 550 }
    const reply = { ...fields, response: '550 5.1.1 <ada@example.com>: user unknown' }
    expect(smtpFailure(failure(reply), false)).toMatchObject({ suppress: 'hard_bounce' })
    const policy = { ...fields, response: '550 5.7.1 blocked' }
    expect(smtpFailure(failure(policy), false)).not.toHaveProperty('suppress')
  })

  it('a certificate that is not valid is the server’s', () => {
    const outcome = smtpFailure(failure({ code: 'ESOCKET', originalCode: 'CERT_HAS_EXPIRED' }), false)
    expect(faultOf(outcome)).toBe('provider')
  })
})

describe('without a reply', { tags: 'S000-23' }, () => {
  it('no file left for another connection is our own trouble, and no mail server’s', () => {
    const starved = failure({ code: 'ESOCKET', originalCode: 'EMFILE' })
    expect(smtpFailure(starved, false)).toMatchObject({ kind: 'retry', fault: 'process' })
  })

  it.each<[string, Partial<NodemailerError>, string]>([
    ['a refused connection', { code: 'ESOCKET', originalCode: 'ECONNREFUSED' }, 'retry'],
    ['an unknown host', { code: 'EDNS', originalCode: 'ENOTFOUND' }, 'retry'],
    ['a timeout', { code: 'ETIMEDOUT' }, 'retry'],
    ['a closed connection', { code: 'ECONNECTION' }, 'retry'],
    [
      'a connection closed during STARTTLS',
      { code: 'ETLS', message: 'Connection closed unexpectedly' },
      'retry',
    ],
    ['an aborted body', { code: 'ESTREAM' }, 'retry'],
    ['a self-signed certificate', { code: 'ESOCKET', originalCode: 'DEPTH_ZERO_SELF_SIGNED_CERT' }, 'config'],
    ['an expired certificate', { code: 'ESOCKET', originalCode: 'CERT_HAS_EXPIRED' }, 'config'],
    ['another host name', { code: 'ESOCKET', originalCode: 'ERR_TLS_CERT_ALTNAME_INVALID' }, 'config'],
    ['no TLS on that port', { code: 'ESOCKET', originalCode: 'ERR_SSL_WRONG_VERSION_NUMBER' }, 'config'],
    ['missing credentials', { code: 'ENOAUTH' }, 'config'],
    ['an impossible recipient', { code: 'EENVELOPE' }, 'permanent'],
    ['a message over the announced size', { code: 'EMESSAGE' }, 'permanent'],
  ])('%s', (_case, fields, kind) => {
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
