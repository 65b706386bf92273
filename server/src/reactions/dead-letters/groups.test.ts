import { randomUUID } from 'node:crypto'
import type { DeadLetterGroup } from '@carillon/contract'
import { beforeEach, describe, expect, it } from 'vitest'
import { problemOf, useCarillon } from '../../../test/carillon.ts'

const carillon = useCarillon()
const groups = async (query = '', key = carillon.key): Promise<DeadLetterGroup[]> =>
  (await carillon.request('GET', `/v1/dead-letters/groups?${query}`, { key })).body.data
const resolveAll = (body: object) => carillon.request('POST', '/v1/dead-letters/resolve', { body })
const idsOf = async (filter: object, state = 'open') =>
  (await carillon.readAll(`/v1/dead-letters?${new URLSearchParams({ ...filter, state })}`)).map(
    ({ id }) => id,
  )

beforeEach(async () => {
  await carillon.pool.query('delete from dead_letters')
  await carillon.pool.query('delete from records')
})

/** A letter as it would be after a failure, with this about it. */
async function letter(about: Record<string, unknown> = {}): Promise<string> {
  const id = randomUUID()
  const row = {
    ...{
      id,
      tenant_id: carillon.tenantId,
      source_kind: 'route',
      notification_id: randomUUID(),
      route_id: 'r',
    },
    ...{ notification_type: 'welcome', channel: 'email', recipient_ref: 'user:ada', final_attempt_count: 1 },
    ...{ max_attempts: 5, failure_reason: 'permanent_failure', failure_classification: 'permanent' },
    ...{ failure_message: 'no', provider: 'smtp', template: '', created_at: new Date().toISOString() },
    ...(about.source_kind === 'outbox' && { original_event_id: id }),
    ...about,
  }
  await carillon.pool.query(
    `insert into dead_letters (${Object.keys(row)}) values (${Object.keys(row).map((_, n) => `$${n + 1}`)})`,
    Object.values(row),
  )
  return id
}

const ofWebhook = () => ({
  ...{ source_kind: 'outbox', source: 'webhook', channel: null, provider: '', notification_type: '' },
  ...{ notification_id: null, route_id: null, recipient_ref: '', target_id: randomUUID(), payload: '{}' },
  dispatch: '{}',
})

describe('groups of dead letters', () => {
  it('have one row per cause, the largest first, with the newest letter as a sample', async () => {
    await letter({ created_at: '2026-01-01T00:00:00Z', notification_type: 'b' })
    const newest = await letter({ failure_message: 'newest', created_at: '2026-01-03T00:00:00Z' })
    await letter({ created_at: '2026-01-02T00:00:00Z', notification_type: 'a' })
    await letter({ provider: 'ses', template: 'welcome' })
    await letter(ofWebhook())
    await letter(ofWebhook())
    const found = await groups()
    expect(found[0]).toEqual({
      failure_reason: 'permanent_failure',
      failure_classification: 'permanent',
      channel: 'email',
      provider: 'smtp',
      template: null,
      source: 'route',
      notification_types: ['a', 'b', 'welcome'],
      count: 3,
      oldest_at: '2026-01-01T00:00:00.000Z',
      newest_at: '2026-01-03T00:00:00.000Z',
      sample: { id: newest, failure_message: 'newest', recovery_hint: '', recipient_ref: 'user:ada' },
      filter: {
        failure_reason: 'permanent_failure',
        failure_classification: 'permanent',
        channel: 'email',
        provider: 'smtp',
        template: '',
        source: 'route',
      },
    })
    expect(found.slice(1)).toMatchObject([
      { source: 'webhook', channel: null, provider: '', count: 2, notification_types: [] },
      { provider: 'ses', template: 'welcome', count: 1 },
    ])
  })

  it('have filters that select exactly their letters, in the list, the count and the replay', async () => {
    const others = [
      { provider: 'ses' },
      { template: 'welcome' },
      { provider: '' },
      { channel: 'sms' },
      ofWebhook(),
    ]
    const about = [{}, ...others, { failure_reason: 'worker_lost' }, { failure_classification: 'transient' }]
    const ids = []
    for (const each of about) ids.push(await letter(each), await letter(each))
    const found = await groups()
    expect(found).toHaveLength(about.length)
    const selected: string[] = []
    for (const { filter, sample } of found) {
      const letters = await idsOf(filter)
      expect(letters).toHaveLength(2)
      expect(letters).toContain(sample.id)
      selected.push(...letters)
      const dryRun = { body: { filter, dry_run: true } }
      expect((await carillon.request('POST', '/v1/dead-letters/replay', dryRun)).body.matched).toBe(2)
    }
    expect(selected.sort()).toEqual(ids.sort())
  })

  it('are those of the letters that match, and keep what was asked for in their filter', async () => {
    const [notification, open] = [randomUUID(), await letter({ recipient_ref: 'user:bob' })]
    await letter({ notification_id: notification })
    const resolved = { resolved_at: '2026-01-01T00:00:00Z', resolution: 'ignored' }
    await letter({ recipient_ref: 'user:bob', ...resolved })
    expect(await groups('recipient_ref=user:bob')).toMatchObject([
      { count: 1, sample: { id: open }, filter: { recipient_ref: 'user:bob' } },
    ])
    expect(await groups('recipient_ref=user:bob&state=all')).toMatchObject([{ count: 2 }])
    expect(await groups(`notification_id=${notification}`)).toMatchObject([{ count: 1 }])
    expect(await groups('state=resolved')).toMatchObject([{ count: 1 }])
    expect(await groups('provider=ses')).toEqual([])
  })

  it('are not shown to others', async () => {
    await letter()
    const { key } = await carillon.createTenant('neighbour')
    expect(await groups('', key)).toEqual([])
  })

  it('are at most 100', async () => {
    for (let n = 0; n < 101; n++) await letter({ template: `t${n}` })
    expect(await groups()).toHaveLength(100)
  })
})

describe('what a letter is about', () => {
  it('is the provider that was called and the template that it was accepted with', async () => {
    const content = { subject: 'Hi', body: 'Hello' }
    await carillon.request('PUT', '/v1/templates/hello/email/en', { body: content })
    await carillon.request('POST', '/v1/templates/hello/email/en/publish', { body: {} })
    const worker = carillon.deliver({
      name: 'refusing',
      send: async () => ({ kind: 'permanent', message: 'no' }),
      close: async () => {},
    })
    await carillon.settled(await carillon.send({ template: 'hello' }), 'dead')
    await worker.stop()
    const about = { provider: 'refusing', template: 'hello' }
    expect(await carillon.readAll('/v1/dead-letters')).toMatchObject([about])
    expect(await groups()).toMatchObject([about])
  })
})

describe('closing letters by filter', () => {
  it('closes those that are open and match, oldest first, up to the limit, and says who did it', async () => {
    await carillon.putUser('op')
    const { key } = await carillon.createKey({ name: 'op', scopes: ['dead_letters:write'], user_id: 'op' })
    const late = await letter({ provider: 'ses', created_at: '2026-01-03T00:00:00Z' })
    const early = await letter({ provider: 'ses', created_at: '2026-01-01T00:00:00Z' })
    const other = await letter()
    const filter = { provider: 'ses' }
    const dry = await resolveAll({ filter, dry_run: true })
    expect(dry.body).toEqual({ dry_run: true, matched: 2, resolved: 0, remaining: 2 })
    const body = { filter, limit: 1 }
    const answer = await carillon.request('POST', '/v1/dead-letters/resolve', { body, key })
    expect(answer.body).toEqual({ dry_run: false, matched: 2, resolved: 1, remaining: 1 })
    expect(await carillon.readAll('/v1/dead-letters?state=resolved')).toMatchObject([
      { id: early, resolution: 'ignored', resolved_by: 'op' },
    ])
    expect((await resolveAll({ filter })).body).toMatchObject({ matched: 1, resolved: 1, remaining: 0 })
    expect(await idsOf({})).toEqual([other])
    expect(await idsOf(filter, 'resolved')).toEqual([late, early])
  })

  it('needs a filter, and no other resolution than ignored', async () => {
    expect(problemOf(await resolveAll({})).errors?.[0]?.field).toBe('filter')
    const replayed = problemOf(await resolveAll({ filter: {}, resolution: 'replayed' }))
    expect(replayed.errors?.[0]?.field).toBe('resolution')
  })

  it('leaves the letters of others', async () => {
    await letter()
    const { key } = await carillon.createTenant('closer')
    const body = { filter: {} }
    expect((await carillon.request('POST', '/v1/dead-letters/resolve', { body, key })).body.matched).toBe(0)
    expect(await idsOf({})).toHaveLength(1)
  })
})
