/** A tenant with several of everything that the API shows, for tests that go through every operation. */
import { createAccount } from '../src/oversight/accounts/accounts.ts'
import { addMember } from '../src/oversight/members/members.ts'
import { raiseSystemEvent } from '../src/oversight/system-events/system-events.ts'
import { transaction } from '../src/platform/database/pool.ts'
import { create, put } from './calls/call.ts'
import type { TestCarillon } from './carillon.ts'
import { addScript } from './scripts.ts'
import { addStream } from './streams.ts'

/** In the name or the text of everything that the tenant has. */
export const MARK = 'resident'
/** How many there are of each; more than three pages of one. */
export const EACH = 4

export interface Inhabited {
  /** The path with ids of what is there in the place of its parameters. */
  fill(path: string): string
  /** The path with the query that the operation cannot do without. */
  ask(name: string): string
  ids: string[]
}

/** Everything is written for the first tenant. */
export async function inhabit(carillon: TestCarillon): Promise<Inhabited> {
  const known = new Map<string, string>()
  const know = (parameter: string, id: string) => known.has(parameter) || known.set(parameter, id)
  for (let n = 1; n <= EACH; n++) {
    const name = `${MARK}-${n}`
    know('/v1/users/{id}', name)
    await carillon.putUser(name, { email: `${name}@example.com`, username: name })
    await inhabitPeople(carillon, n, know)
    await inhabitInbox(carillon, n, know)
    await inhabitThreads(carillon, n, know)
    await inhabitEvents(carillon, n, know)
    await inhabitSettings(carillon, n, know)
    await inhabitTemplates(carillon, n, know)
    await inhabitWebhooks(carillon, n, know)
    await inhabitKv(carillon, n, know)
    await inhabitScripts(carillon, n, know)
    await inhabitTriggers(carillon, n, know)
  }
  know('/v1/tenants/{id}', carillon.tenantId)
  await inhabitRecords(carillon, know)
  // Last: it is asked about what people follow, and nobody answers there.
  await put(carillon, '/v1/visibility-check', { url: `https://example.com/${MARK}` })
  await writeRuns(carillon, know)
  await writeRest(carillon)
  const needed: Record<string, string> = {
    'GET /v1/routes/attempts': `notification_id=${known.get('/v1/records/{id}')}&route_id=email:user:${MARK}-1`,
    'GET /v1/routes/message': `notification_id=${known.get('/v1/records/{id}')}&route_id=email:user:${MARK}-1`,
    'GET /v1/metrics/series': 'from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z',
    'GET /v1/search': `q=${MARK}`,
    'GET /v1/schedules/preview': 'cron=@daily',
    'GET /v1/preferences/opt-outs': 'channel=email',
    'GET /v1/inbox': `user_id=${MARK}-1`,
    'GET /v1/inbox/unread-count': `user_id=${MARK}-1`,
    'GET /v1/inbox/stream': `user_id=${MARK}-1&max_seconds=0&last_event_id=1:1:`,
    'GET /v1/inbox/changes': `user_id=${MARK}-1&since=1:1:`,
    'GET /v1/inbox/groups': `user_id=${MARK}-1&by=topic`,
    'GET /v1/inbox/{id}': `user_id=${MARK}-1`,
    'GET /v1/notification-settings': `user_id=${MARK}-1`,
    'GET /v1/saved-filters': `user_id=${MARK}-1`,
    'GET /v1/threads/{kind}/{id}/subscription': `user_id=${MARK}-1`,
    'GET /v1/email-log': `user_id=${MARK}-1`,
  }
  const fill = (path: string) =>
    path.replace(/\{[^}]+\}/g, (_parameter, at) => {
      const parameter = path.slice(0, path.indexOf('}', at) + 1)
      const id = known.get(parameter)
      if (id === undefined) throw new Error(`the test tenant has nothing for ${parameter}`)
      return encodeURIComponent(id)
    })
  const ask = (name: string) => {
    const query = needed[name]
    return fill(name.slice(name.indexOf('/'))) + (query === undefined ? '' : `?${query}`)
  }
  return { fill, ask, ids: [carillon.tenantId, ...known.values()].filter(id => /\d.*-.*/.test(id)) }
}

type Know = (parameter: string, id: string) => void

async function inhabitPeople(carillon: TestCarillon, n: number, know: Know): Promise<void> {
  const user = `${MARK}-${n}`
  const category = { [user]: { email: false } }
  await put(carillon, `/v1/users/${user}/preferences`, {
    channels: { email: { enabled: false } },
    categories: category,
  })
  await put(carillon, '/v1/preferences', { categories: category })
  know('/v1/topics/{topic}', `${MARK}-topic`)
  await put(carillon, `/v1/topics/${MARK}-topic/watch`, { user_id: user })
  const token = { kind: 'fcm', token: user, label: user }
  know('/v1/users/{id}/devices/{device_id}', await create(carillon, `/v1/users/${MARK}-1/devices`, token))
  await create(carillon, '/v1/suppressions', { channel: 'chat', address: user })
}

/** Several topics and threads, the first of each with several people. */
async function inhabitThreads(carillon: TestCarillon, n: number, know: Know): Promise<void> {
  const name = `${MARK}-${n}`
  await put(carillon, `/v1/topics/${name}`, { title: name })
  await put(carillon, `/v1/topics/${name}/watch`, { user_id: `${MARK}-1` })
  await put(carillon, `/v1/topics/${MARK}-topic/members/${name}`, {})
  know('/v1/topics/{topic}/members/{user_id}', name)
  const thread = '/v1/threads/{kind}/{id}'
  know('/v1/threads/{kind}', 'issue')
  know(thread, name)
  know(`${thread}/participants/{relation}`, 'assignee')
  know(`${thread}/participants/{relation}/{user_id}`, name)
  for (const id of new Set([name, `${MARK}-1`])) {
    await put(carillon, `/v1/threads/issue/${id}`, { topic: `${MARK}-topic`, title: id })
    await put(carillon, `/v1/threads/issue/${id}/subscription`, { user_id: `${MARK}-1` })
  }
  await put(carillon, `/v1/threads/issue/${MARK}-1/subscription`, { user_id: name })
  await carillon.request('PUT', `/v1/threads/issue/${MARK}-1/participants/assignee/${name}`)
  const relation = `${MARK}_${n}`
  know('/v1/relations/{name}', relation)
  await put(carillon, `/v1/relations/${relation}`, { priority: n, reason: name })
  // The list begins with them and goes on with the built-in ones.
  know('/v1/fanout-rules/{event_kind}', `a-${name}`)
  know('/v1/fanout-rules/{event_kind}/{relation}', relation)
  await put(carillon, `/v1/fanout-rules/a-${name}/${relation}`, { channels: ['in_app'] })
}

/** The first person has several, and so has everybody. */
async function inhabitInbox(carillon: TestCarillon, n: number, know: Know): Promise<void> {
  const name = `${MARK}-${n}`
  const { rows } = await carillon.pool.query(
    `insert into notifications (id, tenant_id, user_id, type, title, message, topic)
     values (uuid_v7(), $1, $2, $3, $3, $3, $3) returning id`,
    [carillon.tenantId, `${MARK}-1`, name],
  )
  know('/v1/inbox/{id}', rows[0].id)
  // Not with a person's id: everybody sees it.
  const everybodys = { type: MARK, title: `${MARK} ${n}`, message: MARK }
  know('/v1/notifications/{id}', await create(carillon, '/v1/notifications', everybodys))
  know('/v1/saved-filters/{name}', name)
  await put(carillon, `/v1/saved-filters/${name}?user_id=${MARK}-1`, { query: `topic:${name}` })
}

async function inhabitEvents(carillon: TestCarillon, n: number, know: Know): Promise<void> {
  const people = Array.from({ length: EACH }, (_, i) => `${MARK}-${i + 1}`)
  const body = { kind: `${MARK}-${n}`, payload: { name: `${MARK}-${n}` }, relations: { mention: people } }
  const { body: emitted } = await carillon.request('POST', '/v1/events', { body })
  know('/v1/events/{event_id}', emitted.event_id)
  await carillon.pool.query('select order_events($1, 100)', [carillon.tenantId])
  know('/v1/event-consumers/{name}', 'triggers')
}

async function inhabitSettings(carillon: TestCarillon, n: number, know: Know): Promise<void> {
  const name = `${MARK}-${n}`
  know('/v1/notification-types/{name}', name)
  await carillon.putType(name, { channels: ['email'], critical: true })
  know('/v1/categories/{category}', name)
  await put(carillon, `/v1/categories/${name}`, { name })
  know('/v1/api-keys/{id}', (await carillon.createKey({ name, scopes: [] })).id)
  const account = await createAccount(carillon.pool, { email: `${name}@example.com`, password_hash: null })
  await transaction(carillon.pool, tx => addMember(tx, carillon.tenantId, account, 'viewer'))
  know('/v1/members/{account_id}', account.id)
  const invitation = { email: `${name}@example.net`, role: 'viewer' }
  know('/v1/invitations/{id}', await create(carillon, '/v1/invitations', invitation))
  const config = { host: '127.0.0.1', port: 1, from: `${name}@example.com` }
  know('/v1/providers/{id}', await create(carillon, '/v1/providers', { name, kind: 'smtp', config }))
  const intent = { notification_type: name, audience: { kind: 'users', user_ids: [name] }, payload: {} }
  know('/v1/schedules/{id}', await create(carillon, '/v1/schedules', { name, cron: '@daily', intent }))
  know('/v1/streams/{name}', name)
  await addStream(carillon.pool, carillon.tenantId, name)
  const event = {
    tenant_id: carillon.tenantId,
    event_type: name,
    severity: 'low',
    description: name,
  } as const
  know('/v1/system-events/{id}', String((await raiseSystemEvent(carillon.pool, event)).id))
}

async function inhabitTemplates(carillon: TestCarillon, n: number, know: Know): Promise<void> {
  const name = `${MARK}-${n}`
  const path = '/v1/templates/{name}/{channel}/{locale}'
  know('/v1/templates/{name}', name)
  know('/v1/templates/{name}/{channel}', 'sms')
  know(path, 'en')
  know(`${path}/versions/{version}`, '1')
  await put(carillon, `/v1/templates/${name}/sms/en`, { body: name })
  await carillon.request('POST', `/v1/templates/${MARK}-1/sms/en/publish`, { body: {} })
  know('/v1/template-parts/{kind}', 'partial')
  know('/v1/template-parts/{kind}/{name}', name)
  await put(carillon, `/v1/template-parts/partial/${name}`, { source: name })
  know('/v1/translations/{locale}', `de-${MARK}`)
  await put(carillon, `/v1/translations/de-${MARK}`, { messages: { [name]: name } })
  await carillon.request('PATCH', '/v1/branding', { body: { footer: name } })
}

async function inhabitWebhooks(carillon: TestCarillon, n: number, know: Know): Promise<void> {
  const webhook = { url: `https://example.com/${MARK}-${n}`, events: ['system_event.resolved'] }
  const id = await create(carillon, '/v1/webhooks', webhook)
  know('/v1/webhooks/{id}', id)
  for (let i = 0; n === 1 && i < EACH; i++) {
    const { rows } = await carillon.pool.query(
      `insert into webhook_deliveries (tenant_id, id, webhook_id, event_id, event_type, payload, attempts)
       values ($1, uuid_v7(), $2, uuid_v7(), 'notification.sent', '{}', '[]') returning id`,
      [carillon.tenantId, id],
    )
    know('/v1/webhooks/{id}/deliveries/{delivery_id}', rows[0].id)
  }
  const since = '2020-01-01T00:00:00Z'
  const recovery = await create(carillon, `/v1/webhooks/${id}/recoveries`, { since, rate_limit: 1 })
  know('/v1/webhooks/{id}/recoveries/{recovery_id}', recovery)
}

/** Several collections, the first of them with several entries. */
async function inhabitKv(carillon: TestCarillon, n: number, know: Know): Promise<void> {
  const name = `${MARK}-${n}`
  know('/v1/kv/{collection}', name)
  know('/v1/kv/{collection}/{key}', name)
  await put(carillon, `/v1/kv/${name}/${name}`, { value: name })
  await put(carillon, `/v1/kv/${MARK}-1/${name}`, { value: name })
}

/** The first has several versions. */
async function inhabitScripts(carillon: TestCarillon, n: number, know: Know): Promise<void> {
  const name = `${MARK}-${n}`
  const id = await create(carillon, '/v1/scripts', { name, source: `log('${name}')` })
  know('/v1/scripts/{id}', id)
  know('/v1/scripts/{id}/versions/{version}', '1')
  for (let i = 1; n === 1 && i < EACH; i++)
    await carillon.request('PATCH', `/v1/scripts/${id}`, { body: { source: `log('${name}', ${i})` } })
}

/** Several of each kind. */
async function inhabitTriggers(carillon: TestCarillon, n: number, know: Know): Promise<void> {
  const name = `${MARK}-${n}`
  const script_id = await addScript(carillon.pool, carillon.tenantId, { name: `${name}-runs` })
  const configs = {
    kv: { collection: name },
    cron: { cron: '@daily' },
    event: { event_kind: name },
    queue: { queue: name },
    email: { address: `${name}@example.com` },
    http: {},
    dead_letter: { source: 'invoke' },
  }
  for (const [kind, config] of Object.entries(configs))
    know('/v1/triggers/{id}', await create(carillon, '/v1/triggers', { name, kind, script_id, config }))
}

/** One of them goes to everybody, so that it has several routes; each becomes dead letters. */
async function inhabitRecords(carillon: TestCarillon, know: Know): Promise<void> {
  const names = Array.from({ length: EACH }, (_, i) => `${MARK}-${i + 1}`)
  await carillon.pool.query('update notification_preferences set enabled = true')
  const worker = carillon.deliver({
    name: MARK,
    send: async () => ({ kind: 'permanent', message: MARK }),
    close: async () => {},
  })
  for (const name of names) {
    const record = await carillon.send({
      producer: name,
      notification_type: name,
      audience: { kind: 'users', user_ids: names },
      payload: { title: MARK },
    })
    await carillon.settled(record, 'dead')
    know('/v1/records/{id}', record)
    const malformed = { intents: [{ source_entry_id: name, producer: name }] }
    await carillon.request('POST', '/v1/intents/batch', { body: malformed })
  }
  await worker.stop()
  await carillon.pool.query('update notification_preferences set enabled = false')
  const [letter] = await carillon.readAll('/v1/dead-letters')
  know('/v1/dead-letters/{id}', letter.id)
}

async function writeRuns(carillon: TestCarillon, know: Know): Promise<void> {
  const { rows } = await carillon.pool.query(
    `insert into runs (tenant_id, id, script_id, script_name, script_version, kind, op, event_id, attempt, ran_as, status,
       failure_kind, duration_ms, effects)
     select $1, uuid_v7(), uuid_v7(), $2, 1, 'kv', 'insert', uuid_v7(), 1, 'user:' || $2, s.status,
       case s.status when 'failed' then 'exception' else '' end, 1,
       jsonb_build_array(jsonb_build_object('type', 'kv_set', 'collection', 'c', 'key', $2::text))
     from unnest(array['succeeded', 'failed']) s (status), generate_series(1, $3::integer) returning id`,
    [carillon.tenantId, MARK, EACH],
  )
  know('/v1/runs/{id}', rows[0].id)
  await carillon.pool.query(
    `insert into abandoned_executions (tenant_id, id, outbox_id, script_id, inbox_id, status_code, summary)
     select $1, uuid_v7(), uuid_v7(), uuid_v7(), uuid_v7(), 200, $2 from generate_series(1, $3::integer)`,
    [carillon.tenantId, MARK, EACH],
  )
}

/** What only other parts of Carillon write. */
async function writeRest(carillon: TestCarillon): Promise<void> {
  await carillon.pool.query(
    `insert into notification_email_log (tenant_id, user_id, record_id, route_id, thread_kind, thread_id, message_id, sent_at)
     select $1, $2 || '-1', uuid_v7(), $2, 'issue', $2, $2, now() from generate_series(1, $3::integer)`,
    [carillon.tenantId, MARK, EACH],
  )
  await carillon.pool.query(
    `insert into captured_messages (tenant_id, message_id, notification_id, route_id, channel, notification_type,
       recipient_ref, address, locale, subject, text)
     select tenant_id, notification_id || route_id, notification_id, route_id, channel, $1, $1, $1, 'en', $1, $1 from routes`,
    [MARK],
  )
  await carillon.pool.query(
    `insert into notification_metrics (tenant_id, date, hour, provider, channel, notification_type, sent, failed, pending,
       skipped, cancelled, expired, delivery_ms_total, updated_at)
     select $1, current_date, 1, $2, 'email', $2 || n, 1, 0, 0, 0, 0, 0, 0, now() from generate_series(1, $3::integer) n`,
    [carillon.tenantId, MARK, EACH],
  )
}
