import { describe, expect, it } from 'vitest'
import { httpFailure, httpOutcome } from './http-outcome.ts'

const now = () => Date.parse('2026-03-01T12:00:00Z')

describe('S000-23: the status decides', () => {
  it.each([
    [200, 'sent'],
    [202, 'sent'],
    [204, 'sent'],
    [301, 'permanent'],
    [307, 'permanent'],
    [400, 'permanent'],
    [401, 'config'],
    [403, 'config'],
    [404, 'permanent'],
    [408, 'retry'],
    [410, 'permanent'],
    [422, 'permanent'],
    [429, 'rate_limited'],
    [500, 'retry'],
    [502, 'retry'],
    [503, 'retry'],
    [504, 'retry'],
  ])('%i → %s', (status, kind) => {
    expect(httpOutcome({ status, body: '' }, now).kind).toBe(kind)
  })

  it.each([429, 503])('%i passes on how long the receiver wants to wait', status => {
    expect(httpOutcome({ status, retry_after: '7', body: '' }, now)).toHaveProperty('retry_after_ms', 7000)
    expect(httpOutcome({ status, body: '' }, now)).not.toHaveProperty('retry_after_ms')
  })

  it('a redirect says where it led and that it was not followed', () => {
    const outcome = httpOutcome({ status: 308, location: 'https://other.example/', body: '' }, now)
    expect(outcome).toEqual({
      kind: 'permanent',
      message: 'HTTP 308 to https://other.example/; redirects are not followed',
    })
  })

  it('a failure quotes the beginning of the body', () => {
    const outcome = httpOutcome({ status: 422, body: `bad number ${'x'.repeat(9999)}` }, now)
    expect(outcome).toMatchObject({ message: expect.stringMatching(/^HTTP 422: bad number x{400,500}$/) })
  })
})

describe('the id that the provider gave', () => {
  it.each([
    ['{"id":"abc"}', 'abc'],
    ['{"id":42}', '42'],
    ['{"id":{"a":1}}', undefined],
    ['{"ID":"abc"}', undefined],
    ['null', undefined],
    ['"id"', undefined],
    ['queued', undefined],
    ['', undefined],
  ])('in %s is %s', (body, id) => {
    const outcome = httpOutcome({ status: 200, body }, now)
    expect('provider_message_id' in outcome ? outcome.provider_message_id : undefined).toBe(id)
  })
})

describe('S000-23: without an answer', () => {
  it.each([
    ['ECONNREFUSED', 'retry'],
    ['ENOTFOUND', 'retry'],
    ['ECONNRESET', 'retry'],
    ['UND_ERR_CONNECT_TIMEOUT', 'retry'],
    ['CERT_HAS_EXPIRED', 'config'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'config'],
    ['EPROTO', 'config'],
    ['UND_ERR_INVALID_ARG', 'config'],
  ])('%s before the request left → %s', (code, kind) => {
    expect(httpFailure(Object.assign(new Error('failed'), { code }), false).kind).toBe(kind)
  })

  it('anything is uncertain once the request has left', () => {
    const error = Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' })
    expect(httpFailure(error, true)).toEqual({
      kind: 'uncertain',
      message: 'other side closed (after the request was sent)',
    })
  })

  it('an error without a text is named by its code', () => {
    expect(httpFailure(Object.assign(new Error(''), { code: 'ECONNREFUSED' }), false).message).toBe(
      'ECONNREFUSED',
    )
  })
})
