import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { ProviderKind } from '../kind.ts'
import { apns } from './apns.ts'
import { expo } from './expo.ts'
import { fcm } from './fcm.ts'
import { webPush } from './web-push.ts'

const KINDS: ProviderKind[] = [apns, expo, fcm, webPush]

describe.each(KINDS)('the kind $name', kind => {
  it('reaches devices of its own name, by push', () => {
    expect(kind.channels).toEqual(['push'])
    expect(kind.devices).toBe(kind.name)
  })

  it('has settings that a form can be built from', () => {
    for (const schema of [kind.config, kind.secrets]) {
      expect(z.toJSONSchema(schema, { io: 'input' })).toMatchObject({
        type: 'object',
        additionalProperties: false,
      })
    }
  })
})

it('settings that passed the check pass it again unchanged', () => {
  const config = { team_id: 'DEF123GHIJ', key_id: 'ABC123DEFG', topic: 'org.example.app' }
  expect(apns.config.parse(apns.config.parse(config))).toEqual(apns.config.parse(config))
  expect(expo.config.parse(expo.config.parse({}))).toEqual({
    api_url: 'https://exp.host',
    ttl_seconds: 2_419_200,
  })
})
