import { describe, expect, it } from 'vitest'
import { AN_INTENT, problemOf, useCarillon } from '../../../test/carillon.ts'
import { describeColumns } from '../../../test/columns.ts'

const carillon = useCarillon()
const text = (length: number) => 'x'.repeat(length)

describe('records', () => {
  it.each([
    ['notification_type', 100],
    ['producer', 100],
    ['idempotency_key', 255],
  ])('refuses records.%s of more than %i characters', { tags: 'S002-35' }, async (column, longest) => {
    const id = await carillon.send()
    const update = (length: number) =>
      carillon.pool.query(`update records set ${column} = $1 where notification_id = $2`, [text(length), id])
    await update(longest)
    await expect(update(longest + 1)).rejects.toMatchObject({ constraint: `records_${column}_check` })
  })
})

describe('the API', () => {
  it.each([
    ['notification_type', 100],
    ['producer', 100],
    ['idempotency_key', 255],
    ['request_id', 200],
  ])(
    'stores an intent’s %s of %i characters in full and refuses one more',
    { tags: 'S002-35' },
    async (field, longest) => {
      const post = (length: number) =>
        carillon.request('POST', '/v1/intents', { body: { ...AN_INTENT, [field]: text(length) } })
      const { notification_id } = (await post(longest)).body
      expect((await carillon.request('GET', `/v1/records/${notification_id}`)).body[field]).toBe(
        text(longest),
      )
      expect(problemOf(await post(longest + 1)).errors?.[0]?.field).toBe(field)
    },
  )

  it('accepts an address of 500 characters and refuses one more', { tags: 'S002-35' }, async () => {
    const audience = (length: number) => ({
      kind: 'addresses',
      channel: 'webhook',
      addresses: [text(length)],
    })
    const id = await carillon.send({ audience: audience(500) })
    expect((await carillon.routesOf(id))[0]!.resolved_address).toHaveLength(500)
    const body = { ...AN_INTENT, audience: audience(501) }
    const problem = problemOf(await carillon.request('POST', '/v1/intents', { body }))
    expect([problem.code, problem.errors?.[0]?.field]).toEqual(['invalid_recipients', 'audience.addresses.0'])
  })
})

describeColumns(carillon, {
  longest: [
    [
      'malformed_intents.source_entry_id',
      255,
      `insert into malformed_intents (tenant_id, source, source_entry_id, failure_code, failure_message, raw_fields) values ($1, 'x', $2, '', '', '{}')`,
    ],
  ],
  refused: [
    ['a topic on another audience', `update records set topic = 'x'`, 'records_topic_for_topics'],
    ['an unknown audience', `update records set audience_kind = 'all'`, 'records_audience_kind_check'],
  ],
})
