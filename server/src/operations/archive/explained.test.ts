/** The archive never changes what the API tells of notifications, whatever became of them. */
import { beforeAll, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import type { Outcome } from '../../providers/services/provider.ts'
import { archiveOnce } from './archive.ts'
import { useFinished } from './finished.fixture.ts'
import { createMonths, moveBatch } from './queries.ts'

const carillon = useCarillon()
const { age, told, ids, expectOnePlace } = useFinished(carillon)

/** The same choices in every run. */
function createChoices(seed: number) {
  let state = seed
  return <T>(choices: readonly T[]): T => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return choices[Math.floor((state / 2_147_483_648) * choices.length)]!
  }
}

const PEOPLE = ['ada', 'bob', 'cy', 'dan'] as const
const OUTCOMES: Outcome[] = [
  { kind: 'sent' },
  { kind: 'sent', provider_message_id: 'm-1' },
  { kind: 'permanent', message: 'no such mailbox' },
  { kind: 'retry', message: 'busy' },
]

beforeAll(async () => {
  for (const id of PEOPLE) await carillon.putUser(id, { email: `${id}@example.com`, locale: 'de' })
  await carillon.request('PATCH', '/v1/tenant', { body: { max_attempts: { email: 2 }, retry_base_ms: 1 } })
  await carillon.request('PUT', '/v1/users/dan/preferences/email', { body: { enabled: false } })
  const choose = createChoices(7)
  const worker = carillon.deliver(() => choose(OUTCOMES))
  const sent: string[] = []
  for (let n = 0; n < 14; n++) {
    const user_ids = [...new Set([choose(PEOPLE), choose(PEOPLE), choose(PEOPLE)])]
    const audience = choose([
      { kind: 'users', user_ids },
      { kind: 'addresses', channel: 'email', addresses: [`x${n}@example.com`] },
    ])
    const later = choose([{}, {}, { send_at: '2031-01-01T00:00:00Z' }])
    const id = await carillon.send({ audience, channels: ['email'], ...later })
    if ('send_at' in later) await carillon.request('POST', `/v1/records/${id}/cancel`)
    sent.push(id)
  }
  for (const id of sent) await carillon.settled(id, 'sent', 'dead', 'skipped', 'cancelled')
  await worker.stop()
  for (const letter of await carillon.readAll('/v1/dead-letters'))
    await carillon.request('POST', `/v1/dead-letters/${letter.id}/resolve`, { body: {} })
  await age(91)
})

it('pages neither lose nor repeat what is archived between them', {
  tags: 'S002-29',
}, async () => {
  await createMonths(carillon.pool)
  const before = await told()
  expect(before.records).toHaveLength(14)
  expect(new Set(before.routes.map(route => route.status)).size).toBeGreaterThan(2)
  for (const [path, rows] of [
    ['/v1/records', before.records],
    ['/v1/routes', before.routes],
    ['/v1/routes?channel=email', before.routes],
  ] as const) {
    const seen = []
    let cursor: string | null = null
    do {
      const query: string = `${path.includes('?') ? '&' : '?'}limit=2${cursor === null ? '' : `&cursor=${cursor}`}`
      const page = (await carillon.request('GET', `${path}${query}`)).body
      seen.push(...page.data)
      cursor = page.next_cursor
      // the oldest first, while the reader comes from the newest
      await moveBatch(carillon.pool, carillon.tenantId, undefined, { records: 1, routes: 1 })
    } while (cursor !== null)
    expect(seen).toEqual(rows)
  }
  expect((await ids('records')).length).toBeLessThan(14)
})

it('the API tells the same of all notifications when they are archived', { tags: 'S002-29' }, async () => {
  const before = await told()
  await archiveOnce(carillon.pool)
  expect(await ids('records')).toEqual([])
  expect(await told()).toEqual(before)
  await expectOnePlace()
})
