import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { problemOf, useCarillon } from '../../../test/carillon.ts'
import { startHttpReceiver } from '../../../test/receivers/http-receiver.ts'
import { PROVIDER_KINDS } from '../services/kinds.ts'
import { DESTINATION_FIELDS } from './destination.ts'

const carillon = useCarillon()
const url = 'https://api.example.com/messages'
let unique = 0

async function aProvider(more: object = {}): Promise<string> {
  const body = {
    name: `provider-${++unique}`,
    kind: 'http',
    channel: 'sms',
    config: { url },
    secrets: { headers: { authorization: 'Bearer a-secret-token' } },
    ...more,
  }
  return (await carillon.request('POST', '/v1/providers', { body })).body.id
}
const change = (id: string, body: object) => carillon.request('PATCH', `/v1/providers/${id}`, { body })

describe('a provider’s destination', () => {
  it('is changed only with the secrets, so that nobody has them sent to themselves', async () => {
    const receiver = await startHttpReceiver()
    const id = await aProvider()
    const problem = problemOf(await change(id, { config: { url: receiver.url } }))
    expect(problem).toMatchObject({ status: 400, code: 'invalid_request', errors: [{ field: 'secrets' }] })
    await carillon.request('POST', `/v1/providers/${id}/test`, { body: { address: '+15550100' } })
    expect(receiver.requests).toEqual([])
    const secrets = { headers: { authorization: 'Bearer another-token' } }
    expect((await change(id, { config: { url: receiver.url }, secrets })).status).toBe(200)
    await carillon.request('POST', `/v1/providers/${id}/test`, { body: { address: '+15550100' } })
    expect(receiver.requests[0]?.headers.authorization).toBe('Bearer another-token')
    await receiver.stop()
  })

  it('stays when other settings change, and is free where there are no secrets', async () => {
    const id = await aProvider()
    expect((await change(id, { config: { url, method: 'PUT' }, priority: 3 })).status).toBe(200)
    const open = await aProvider({ secrets: {} })
    expect((await change(open, { config: { url: 'https://other.example.com/' } })).status).toBe(200)
  })

  it.each([
    'https://{{ payload.host }}/a',
    '{{ address }}',
    'https://api.example.com{{ payload.more }}/a',
    'https://api.example.com:{{ payload.port }}/a',
    'https://api.example.com@{{ payload.host }}/a',
    '{% if payload.a %}https://a.example.com/{% else %}https://b.example.com/{% endif %}',
  ])('is not left to those who send messages where there are secrets: %s', async open => {
    const body = { name: `provider-${++unique}`, kind: 'http', channel: 'sms', config: { url: open } }
    const secrets = { headers: { authorization: 'Bearer a-secret-token' } }
    const created = await carillon.request('POST', '/v1/providers', { body: { ...body, secrets } })
    expect(problemOf(created).errors?.[0]?.field).toBe('config.url')
    expect(problemOf(await change(await aProvider(), { config: { url: open }, secrets })).code).toBe(
      'invalid_request',
    )
    const withoutSecrets = await carillon.request('POST', '/v1/providers', { body })
    expect(withoutSecrets.status).toBe(201)
    expect(problemOf(await change(withoutSecrets.body.id, { secrets })).errors?.[0]?.field).toBe('config.url')
  })

  it('may have a path from the message', async () => {
    const id = await aProvider({ config: { url: `${url}/{{ address | url_encode }}?a={{ payload.a }}` } })
    expect(id).toEqual(expect.any(String))
  })

  it('is every field of every kind that says where to connect', () => {
    const harmless =
      /^(from|reply_to|.*_id|.*_sid|topic|environment|ttl_seconds|category|method|headers|body|domain)$/
    const others =
      /^(message_stream|webhook_public_key|configuration_set|topic_arn|.+_domain|dkim_selector|pool_size|api_key|public_key|subject)$/
    for (const { name, config } of PROVIDER_KINDS) {
      const schema = z.toJSONSchema(config, { io: 'input', unrepresentable: 'any' })
      const left = Object.keys(schema.properties ?? {}).filter(
        field => !DESTINATION_FIELDS.includes(field) && !harmless.test(field) && !others.test(field),
      )
      expect([name, left]).toEqual([name, []])
    }
  })
})
