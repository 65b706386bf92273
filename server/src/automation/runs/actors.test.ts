import type { Scope } from '@carillon/contract'
import { beforeEach, describe, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { useScripts } from '../../../test/running-scripts.ts'
import { aBrowserOf } from '../../../test/signed-in.ts'

const carillon = useCarillon()
const scripts = useScripts(carillon)

beforeEach(async () => {
  await carillon.pool.query('delete from triggers')
  for (const table of ['outbox', 'runs', 'dead_letters', 'kv_entries', 'records'])
    await carillon.pool.query(`delete from ${table}`)
})

const MANAGES: Scope[] = ['triggers:read', 'triggers:write', 'scripts:read', 'scripts:write', 'kv:read']
const keyWith = (...scopes: Scope[]) => carillon.createKey({ name: 'k', scopes: [...MANAGES, ...scopes] })
const SENDS = `export default () => notify({ notification_type: 't', payload: {}, audience: { kind: 'tenant' } })`
const WRITES = `export default () => kv.set('out', 'x', 1)`
const ONCE = { retry: { max_attempts: 1 } }

/** Runs the script of one for the trigger of another; an administrator causes the event. */
async function ran(source: string, author: string, registrant: string) {
  const script = await scripts.script(source, { key: author })
  await scripts.trigger('kv', script, { collection: 'in' }, { key: registrant, ...ONCE })
  scripts.start()
  await scripts.set('in', 'x', 1)
  await scripts.settled()
  return (await scripts.runs())[0]
}

describe('a run of a trigger', () => {
  it('acts as whoever registered it; who caused the event is only remembered', {
    tags: 'S003-3',
  }, async () => {
    const registrant = await keyWith('kv:write')
    const run = await ran(WRITES, carillon.key, registrant.key)
    expect(run).toMatchObject({ status: 'succeeded', ran_as: `api_key:${registrant.id}` })
    expect(run.origin).toMatch(/^api_key:/)
    expect(run.origin).not.toBe(run.ran_as)
  })

  it('does nothing that whoever registered it may not do, though an administrator caused and wrote it', {
    tags: 'S003-3',
  }, async () => {
    const run = await ran(SENDS, carillon.key, (await keyWith('kv:write')).key)
    expect(run).toMatchObject({ status: 'failed', failure_kind: 'forbidden' })
    expect(run.error).toMatch(/notify needs the scope "intents:write", which whoever registered/)
    expect(await carillon.readAll('/v1/records')).toEqual([])
  })

  it('does nothing that the member who registered it may not do any more, and all of it when the role is back', async () => {
    const member = await aBrowserOf(carillon, 'owner')
    const script_id = await scripts.script(WRITES)
    const trigger = { name: 'k', kind: 'kv', script_id, config: { collection: 'in' }, ...ONCE }
    expect((await member.request('POST', '/v1/triggers', { body: trigger })).status).toBe(201)
    const owner = await aBrowserOf(carillon, 'owner')
    const become = (role: string) =>
      owner.request('PATCH', `/v1/members/${member.account.id}`, { body: { role } })
    const runs = []
    for (const role of ['operator', 'admin', 'owner']) {
      expect((await become(role)).status).toBe(200)
      const { stop } = scripts.start()
      await scripts.set('in', 'x', role)
      await scripts.settled()
      await stop()
      runs.push(...(await scripts.runs()))
      await carillon.pool.query('delete from runs; delete from outbox; delete from dead_letters')
    }
    expect(runs.map(run => run.status)).toEqual(['failed', 'succeeded', 'succeeded'])
    expect(runs[0].error).toMatch(/kv.set needs the scope "kv:write", which whoever registered/)
  })

  it('does nothing that the author of its script may not do, though an administrator registered it', {
    tags: 'S003-3',
  }, async () => {
    const run = await ran(SENDS, (await keyWith('kv:write')).key, carillon.key)
    expect(run).toMatchObject({ status: 'failed', failure_kind: 'forbidden' })
    expect(run.error).toMatch(/which the author of version 1 does not have/)
  })

  it('does not show what whoever registered it, or its author, may not read', {
    tags: 'S003-3',
  }, async () => {
    const scopes: Scope[] = ['triggers:write', 'scripts:write', 'scripts:read', 'dead_letters:read']
    const { key } = await carillon.createKey({ name: 'k', scopes })
    const shows = 'export default ({ data }) => data'
    for (const [author, registrant, who] of [
      [carillon.key, key, 'whoever registered the trigger'],
      [key, carillon.key, 'the author of version 1'],
    ] as const) {
      const run = await ran(shows, author, registrant)
      expect(run).toMatchObject({ status: 'failed', failure_kind: 'forbidden' })
      expect(run.error).toContain(`An event of the kind "kv" needs the scope "kv:read", which ${who}`)
      await carillon.pool.query('delete from triggers; delete from runs')
    }
  })

  it('a handler of dead letters shows none to whom may not read them', async () => {
    const { key } = await keyWith('dead_letters:write')
    const handler = await scripts.script('export default ({ data }) => data', { key })
    await scripts.trigger('dead_letter', handler, {}, { key: carillon.key })
    expect(await ran('throw new Error("no")', carillon.key, carillon.key)).toBeDefined()
    const runs = await scripts.runs()
    const handled = runs.find(({ kind }: { kind: string }) => kind === 'dead_letter')
    expect(handled).toMatchObject({ status: 'failed', failure_kind: 'forbidden' })
    expect(await carillon.readAll('/v1/dead-letters')).toMatchObject([{ resolution: 'handler_failed' }])
  })

  it('a script may catch that a call is forbidden, and go on', async () => {
    const source = `export default async () => { try { await notify({}) } catch (error) { return error.message } }`
    const run = await ran(source, carillon.key, (await keyWith()).key)
    expect(run.status).toBe('succeeded')
  })

  it('sends as the producer of whoever registered it, and as no other', async () => {
    await carillon.putUser('ada')
    const ada = await carillon.createKey({
      name: 'ada',
      user_id: 'ada',
      scopes: [...MANAGES, 'intents:write'],
    })
    const audience = { kind: 'addresses', channel: 'email', addresses: ['a@example.com'] }
    const intent = { notification_type: 't', payload: {}, audience }
    const own = await ran(`export default () => notify(${JSON.stringify(intent)})`, carillon.key, ada.key)
    expect(own).toMatchObject({ status: 'succeeded', ran_as: 'user:ada' })
    expect(await carillon.readAll('/v1/records')).toMatchObject([{ producer: 'api:ada' }])
    await carillon.pool.query('delete from triggers; delete from runs')
    const as = JSON.stringify({ ...intent, producer: 'billing' })
    const foreign = await ran(`export default () => notify(${as})`, carillon.key, ada.key)
    expect(foreign.error).toContain('may not send as "billing"')
  })

  it('does not send as the producer of whoever registered it, if the author was given others', async () => {
    const source = SENDS.replace("'tenant'", "'users', user_ids: ['ada']")
    await carillon.putUser('ada')
    const shop = await carillon.createKey({
      name: 'shop',
      scopes: [...MANAGES, 'intents:write'],
      producers: ['shop'],
    })
    const run = await ran(source, shop.key, carillon.key)
    expect(run.error).toContain(
      'notify: producer: Without one it is sent as "api", which the author of version 1',
    )
    await carillon.pool.query('delete from triggers; delete from runs')
    const named = await ran(source.replace('{ ', "{ producer: 'shop', "), shop.key, carillon.key)
    expect(named.status).toBe('succeeded')
    expect(await carillon.readAll('/v1/records')).toMatchObject([{ producer: 'shop' }])
  })

  it('sends as whoever registered it, if neither was given producers', async () => {
    await carillon.putUser('ada')
    const scopes = [...MANAGES, 'intents:write'] as Scope[]
    const ada = await carillon.createKey({ name: 'ada', user_id: 'ada', scopes })
    const machine = await carillon.createKey({ name: 'machine', scopes })
    const source = SENDS.replace("'tenant'", "'users', user_ids: ['ada']")
    expect(await ran(source, machine.key, ada.key)).toMatchObject({ status: 'succeeded' })
    expect(await carillon.readAll('/v1/records')).toMatchObject([{ producer: 'api:ada' }])
  })

  it('fails for good when the key that registered it has expired', async () => {
    const { id, key } = await keyWith('kv:write')
    const script = await scripts.script(WRITES)
    await scripts.trigger('kv', script, { collection: 'in' }, { key })
    await carillon.pool.query("update api_keys set expires_at = now() - interval '1 s' where id = $1", [id])
    scripts.start()
    await scripts.set('in', 'x', 1)
    await scripts.settled()
    expect(await scripts.runs()).toMatchObject([
      { failure_kind: 'forbidden', error: 'The key that registered this trigger has expired.', attempt: 1 },
    ])
    expect(await carillon.readAll('/v1/dead-letters')).toMatchObject([
      { failure_reason: 'permanent_failure' },
    ])
  })
})
