import { describe, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { waitFor } from '../../../test/wait-for.ts'
import { useProcesses } from './environment.fixture.ts'

const carillon = useCarillon()
const processes = useProcesses(carillon)
const { listed, events, captured, postponed, breakDown } = processes

describe('a provider whose settings were removed', () => {
  const unseenFor = (interval: string) =>
    carillon.pool.query(
      'update provider_configs set seen_at = now() - $1::interval where tenant_id is null',
      [interval],
    )

  it('is as if it had never been, once no process has had it for a while', async () => {
    const sending = await processes.start(processes.overHttp)
    await breakDown({ id: (await listed())[0].id, tenant_id: null, subject: 'email/http' })
    await sending.stop()
    const here = await processes.start({})
    const id = await carillon.send()
    await postponed(id, 'no_provider')
    await waitFor(async () => (await events('provider_missing')).length === 1, { what: 'the event' })
    for (let i = 0; i < 2; i++) await here.keepPresence()
    expect(await listed()).toMatchObject([{ name: 'http' }])

    await unseenFor('6 minutes')
    await here.keepPresence()
    expect(await listed()).toEqual([])
    expect(await events('provider_missing')).toEqual([])
    expect(await events('provider_down')).toEqual([])
    await carillon.skipWaiting()
    await carillon.settled(id, 'sent')
    expect(await captured()).toContain(id)
  })

  it('stays while a process that has it runs, however idle', async () => {
    const sending = await processes.start(processes.overHttp)
    const here = await processes.start({})
    await here.keepPresence()
    await unseenFor('6 minutes')
    await sending.keepPresence()
    await here.keepPresence()
    expect(await listed()).toMatchObject([{ name: 'http' }])
  })

  it('stays when the database was away: others had no chance to say that they have it', async () => {
    const sending = await processes.start(processes.overHttp)
    const here = await processes.start({})
    await unseenFor('6 minutes')
    await here.keepPresence()
    await sending.keepPresence()
    await here.keepPresence()
    expect(await listed()).toMatchObject([{ name: 'http' }])
  })
})
