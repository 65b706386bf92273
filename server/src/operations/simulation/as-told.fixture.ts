import type { EventExplanation, EventSimulation } from '@carillon/contract'
import { expect } from 'vitest'
import type { TestCarillon } from '../../../test/carillon.ts'
import { fanOut } from '../../../test/fanout.ts'
import { clockOf, passTime } from '../../../test/moved-clock.ts'
import { drawHappenings, type EventDraw, type Happening, OWN, PEOPLE } from './happenings.fixture.ts'

const SEED = 20261118
/** When events happen, in minutes after the start: within the window of the storm dampener, and after it. */
export const ROUNDS = [0, 5, 30]

type Named = Happening & { name: string }
const nameOf = ({ name }: Named, person: string) => `${name}-${person}`
const ownKind = ({ name }: Named) => `${OWN}_${name}`

/** What a person gets of an event: why, in the inbox, and by which routes with which end. */
type Story = { reason: string; inbox: string; routes: string[] }
type Stories = Record<string, Story>

/** So many random happenings, each simulated and then sent in every round. */
export async function expectTold(carillon: TestCarillon, count: number): Promise<void> {
  const happenings = drawHappenings(count, SEED).map((drawn, i) => ({ ...drawn, name: `h${i}` }))
  const put = async (path: string, body: object) => {
    const answer = await carillon.request('PUT', path, { body })
    expect([path, answer.status, answer.body]).toEqual([path, 200, answer.body])
  }

  /** Uses SQL, because people may also be where no call would put them, such as in a thread of a topic that they have left. */
  async function prepare(happening: Named): Promise<void> {
    const { name, visibility, author } = happening
    const t = carillon.tenantId
    const query = (sql: string, ...values: unknown[]) => carillon.pool.query(sql, [t, ...values])
    await query('insert into topics (tenant_id, topic, visibility) values ($1, $2, $3)', name, visibility)
    for (const [i, person] of happening.people.entries()) {
      const id = nameOf(happening, PEOPLE[i]!)
      const email = person.hasEmail ? `${id}@example.com` : null
      await query('insert into users (tenant_id, id, email) values ($1, $2, $3)', id, email)
      if (person.watch !== null) {
        const kinds = person.watchesKind && person.watch !== 'all' ? ['issue_closed', ownKind(happening)] : []
        await query(
          'insert into watches (tenant_id, topic, user_id, level, kinds) values ($1, $2, $3, $4, $5)',
          ...[name, id, person.watch, kinds],
        )
      }
      if (person.member !== null)
        await query(
          'insert into topic_members (tenant_id, topic, user_id, role) values ($1, $2, $3, $4)',
          ...[name, id, person.member],
        )
      if (Object.keys(person.preferences).length > 0)
        await put(`/v1/users/${id}/preferences`, person.preferences)
    }
    const authorId = author === null ? null : nameOf(happening, author)
    await query(
      "insert into threads (tenant_id, kind, id, topic, author_id) values ($1, 'issue', $2, $2, $3)",
      ...[name, authorId],
    )
    for (const [i, person] of happening.people.entries()) {
      const id = nameOf(happening, PEOPLE[i]!)
      if (person.subscribed !== null)
        await query(
          `insert into notification_threads (tenant_id, user_id, thread_kind, thread_id, subscribed, reason) values ($1, $2, 'issue', $3, $4, $5)`,
          ...[id, name, person.subscribed, person.subscribed ? person.subscriptionReason : 'manual'],
        )
      if (person.participant !== null)
        await query(
          `insert into thread_participants (tenant_id, thread_kind, thread_id, relation, user_id) values ($1, 'issue', $2, $3, $4)`,
          ...[name, person.participant, id],
        )
    }
    for (const [relation, rule] of Object.entries(happening.rules))
      await put(`/v1/fanout-rules/${ownKind(happening)}/${relation}`, rule)
    if (happening.type === null) return
    const { channels, category, escalates } = happening.type
    const escalate =
      escalates && !channels.includes('email') ? [{ channel: 'email' as const, after: 60 }] : []
    await carillon.putType(ownKind(happening), { channels, category, escalate })
  }

  function eventOf(happening: Named, drawn: EventDraw, round: number): object {
    const relations = Object.entries(drawn.relations).map(([relation, people]) => [
      relation,
      people.map(person => nameOf(happening, person)),
    ])
    return {
      kind: drawn.kind === OWN ? ownKind(happening) : drawn.kind,
      idempotency_key: `${happening.name} ${round}`,
      is_public: drawn.isPublic,
      relations: Object.fromEntries(relations),
      ...(drawn.actor !== null && { actor_id: nameOf(happening, drawn.actor) }),
      ...(drawn.hasThread && { thread: { kind: 'issue', id: happening.name, title: `Round ${round}` } }),
      ...((drawn.hasTopic || !drawn.hasThread) && { topic: happening.name }),
    }
  }

  const outcomes = new Set<string>()
  const endings = new Set<string>()
  let tellings = 0

  function foretold(event: string, { people }: EventSimulation): Stories {
    for (const { outcome } of people) outcomes.add(outcome)
    const told = people.filter(({ outcome }) => outcome === 'told')
    for (const { outcome, routes, inbox } of people)
      if (outcome !== 'told') expect([outcome, routes, inbox]).toEqual([outcome, [], 'none'])
    return Object.fromEntries(
      told.map(({ user_id, reason, inbox, routes }) => {
        const ends = routes.map(route => `${route.channel} ${route.status} ${route.reason}`.trim())
        return [`${event} ${user_id}`, { reason: reason!, inbox, routes: ends.sort() }]
      }),
    )
  }

  /** Read before the next round, in which rows may be updated again. */
  async function happened(events: string[]): Promise<Stories> {
    const { rows } = await carillon.pool.query<Story & { id: string }>(
      `select e.event_id || ' ' || t.user_id as id, min(t.reason) as reason, coalesce(min(t.inbox), 'none') as inbox,
       coalesce(array_agg(t.route order by t.route collate "C") filter (where t.route is not null), '{}') as routes
     from domain_events e cross join lateral (
       select n.user_id, n.reason, case n.event_count when 1 then 'new' else 'updated' end as inbox, null as route
       from notifications n where n.tenant_id = e.tenant_id and n.source_event_id = e.id
       union all
       select r.user_id, c.reason, null, rtrim(r.channel || ' ' || r.status || ' ' || r.reason)
       from records c join routes r using (tenant_id, notification_id) where c.tenant_id = e.tenant_id and c.event_id = e.event_id
     ) t where e.event_id = any ($1::uuid[]) group by e.event_id, t.user_id`,
      [events],
    )
    for (const { routes } of rows) for (const route of routes) endings.add(route)
    return Object.fromEntries(rows.map(({ id, ...story }) => [id, story]))
  }

  async function playRound(round: number, events: { body: object; event_id: string }[]): Promise<void> {
    const simulations: EventSimulation[] = []
    for (const happening of happenings) {
      const body = eventOf(happening, happening.events[round]!, round)
      const answer = await carillon.request('POST', '/v1/events/simulate', { body })
      expect([body, answer.status, answer.body]).toEqual([body, 200, answer.body])
      simulations.push(answer.body)
      events.push({ body, event_id: '' })
    }
    const sent = await carillon.request('POST', '/v1/events/batch', {
      body: { events: events.map(({ body }) => body) },
    })
    for (const [i, { event_id }] of sent.body.items.entries()) events[i]!.event_id = event_id
    await fanOut(carillon)
    const told = Object.assign(
      {},
      ...simulations.map((each, i) => foretold(events[i]!.event_id, each)),
    ) as Stories
    await passTime(carillon, new Date((await clockOf(carillon.pool)).getTime() + 120_000), () => {})
    tellings += Object.keys(told).length
    expect(told).toEqual(await happened(events.map(({ event_id }) => event_id)))
  }

  /** The explanation has exactly the people who were told as told, with the same reason. */
  async function expectExplained(events: { event_id: string }[]): Promise<void> {
    const stories = await happened(events.map(({ event_id }) => event_id))
    for (const { event_id } of events) {
      const { body } = await carillon.request('GET', `/v1/events/${event_id}/explain?limit=100`)
      const { status, people } = body as EventExplanation
      expect(status).toBe('done')
      const explained = people
        .filter(({ is_recorded }) => is_recorded)
        .map(({ user_id, reason }) => [user_id, reason])
      const told = Object.entries(stories).filter(([id]) => id.startsWith(event_id))
      expect(explained.sort()).toEqual(told.map(([id, { reason }]) => [id.slice(37), reason]).sort())
      const one = people[0]
      if (one === undefined) continue
      const alone = await carillon.request('GET', `/v1/events/${event_id}/explain?user_id=${one.user_id}`)
      expect(alone.body.people).toEqual([one])
    }
  }

  for (const happening of happenings) await prepare(happening)
  const start = await clockOf(carillon.pool)
  for (const [round, minutes] of ROUNDS.entries()) {
    await passTime(carillon, new Date(start.getTime() + minutes * 60_000), () => {})
    const events: { body: object; event_id: string }[] = []
    await playRound(round, events)
    await expectExplained(events)
  }
  expect([...outcomes].sort()).toEqual([
    'actor',
    'ignores_topic',
    'in_app_off',
    'no_channel',
    'no_rule',
    'not_member',
    'told',
    'unknown_user',
    'unsubscribed',
  ])
  expect([...endings].sort()).toEqual([
    'email sent',
    'email skipped category_off',
    'email skipped channel_disabled',
    'email skipped no_address',
    'email skipped reason_off',
    'email skipped storm',
    'sms skipped no_address',
  ])
  expect(tellings).toBeGreaterThan(3 * count)
}
