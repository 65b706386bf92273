import { describe, expect, it } from 'vitest'
import { draftOf, fieldsOf, labelOf, valuesOf } from './schema-fields.ts'

const SMTP = {
  type: 'object',
  properties: {
    message_id_domain: { type: 'string', format: 'hostname' },
    port: { type: 'integer', default: 587, minimum: 1, maximum: 65535 },
    tls: { type: 'string', enum: ['required', 'offered'], default: 'required' },
    is_pooled: { type: 'boolean', default: true },
    host: { type: 'string', description: 'Name of the server' },
    api_url: { type: 'string', format: 'uri' },
    headers: { type: 'object', default: {}, additionalProperties: { type: 'string' } },
    extra: { type: 'object' },
  },
  required: ['host'],
}

describe('fieldsOf', () => {
  const fields = fieldsOf(SMTP, 'config')
  const field = (name: string) => fields.find(each => each.name === name)!

  it('puts what is required first and keeps the order of the rest', () => {
    expect(fields.map(({ name }) => name)).toEqual([
      'host',
      'message_id_domain',
      'port',
      'tls',
      'is_pooled',
      'api_url',
      'headers',
      'extra',
    ])
    expect(field('host').isRequired).toBe(true)
    expect(field('port').isRequired).toBe(false)
  })

  it('chooses the input by type, format and enum', () => {
    expect(fields.map(({ kind }) => kind)).toEqual([
      'text',
      'text',
      'number',
      'choice',
      'switch',
      'text',
      'pairs',
      'json',
    ])
    expect(field('api_url').inputType).toBe('url')
    expect(field('tls').options).toEqual(['required', 'offered'])
  })

  it('says in words what the schema says', () => {
    expect(field('host')).toMatchObject({ label: 'Host', help: 'Name of the server.', path: 'config.host' })
    expect(field('port')).toMatchObject({ help: 'From 1 to 65,535.', min: 1, max: 65535 })
  })

  it('hides secrets and leaves room for those of several lines', () => {
    const secrets = fieldsOf(
      {
        properties: {
          api_key: { type: 'string' },
          private_key: { type: 'string' },
          account: { type: 'string', description: 'The JSON file of an account' },
        },
      },
      'secrets',
    )
    expect(secrets.map(({ kind }) => kind)).toEqual(['text', 'lines', 'lines'])
    expect(secrets.every(({ isSecret, inputType }) => isSecret && inputType === 'password')).toBe(true)
    expect(secrets[0]!.path).toBe('secrets.api_key')
  })

  it('has no fields for a schema without any', () => {
    expect(fieldsOf({ type: 'object', properties: {} }, 'config')).toEqual([])
    expect(fieldsOf({}, 'config')).toEqual([])
  })
})

describe('labelOf', () => {
  it('makes words of names', () => {
    expect(labelOf('api_key')).toBe('API key')
    expect(labelOf('messaging_service_sid')).toBe('Messaging service SID')
    expect(labelOf('from')).toBe('From')
  })
})

describe('a draft', () => {
  const fields = fieldsOf(SMTP, 'config')

  it('begins with what is set, and else with the default', () => {
    expect(draftOf(fields, { host: 'mail.example.com', port: 25, headers: { 'x-a': '1' } })).toEqual({
      host: 'mail.example.com',
      message_id_domain: '',
      port: '25',
      tls: 'required',
      is_pooled: true,
      api_url: '',
      headers: [['x-a', '1']],
      extra: '',
    })
  })

  it('is sent without what was left empty, as the types of the schema', () => {
    const draft = {
      ...draftOf(fields, {}),
      host: 'mail.example.com',
      port: '2525',
      is_pooled: false,
      headers: [
        ['x-a', '1'],
        ['', 'no name yet'],
      ] as [string, string][],
      extra: '{"a":1}',
    }
    expect(valuesOf(fields, draft)).toEqual({
      host: 'mail.example.com',
      port: 2525,
      tls: 'required',
      is_pooled: false,
      headers: { 'x-a': '1' },
      extra: { a: 1 },
    })
  })

  it('passes on what is no number or no JSON, so that the API says it at the field', () => {
    expect(valuesOf(fields, { port: 'many', extra: '{' })).toEqual({ port: 'many', extra: '{' })
  })
})
