import { readFileSync } from 'node:fs'
import { WEBHOOK_EVENT_MEANINGS, WEBHOOK_EVENTS, WEBHOOK_EXAMPLES, WebhookEvent } from '@carillon/contract'
import { describe, expect, it } from 'vitest'
import { documentWebhooks } from '../../platform/http/webhook-documentation.ts'

const read = (path: string) => readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8')
const guide = read('docs/guides/webhooks.md')

// events.test.ts compares the examples with what is really sent.
describe('docs/guides/webhooks.md', () => {
  it.each([...WEBHOOK_EVENTS])('shows what %s means, and its example', event => {
    const section = guide.split(`### \`${event}\`\n`)[1]
    expect(section).toContain(WEBHOOK_EVENT_MEANINGS[event])
    const shown = JSON.parse(/```json\n([\s\S]*?)\n```/.exec(section!)![1]!)
    expect(shown).toEqual(WEBHOOK_EXAMPLES[event])
    expect(WebhookEvent.parse(shown)).toEqual(shown)
  })

  it.each(['express', 'fastify', 'plain'])('shows the %s receiver that runs in CI', name => {
    expect(guide).toContain(read(`examples/webhooks/${name}.js`).trimEnd())
  })
})

describe('openapi.json', () => {
  it('has every event with an example of each form', () => {
    const { webhooks } = JSON.parse(read('openapi.json'))
    expect(webhooks).toEqual(JSON.parse(JSON.stringify(documentWebhooks())))
    expect(Object.keys(webhooks)).toEqual([...WEBHOOK_EVENTS])
    for (const event of WEBHOOK_EVENTS) {
      const { examples } = webhooks[event].post.requestBody.content['application/json']
      expect(WebhookEvent.parse(examples.full.value)).toEqual(examples.full.value)
      expect(WebhookEvent.parse(examples.thin.value)).toEqual(examples.thin.value)
    }
  })
})
