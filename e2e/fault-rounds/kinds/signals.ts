/** Signals to the process: stopped for longer than its leases and continued, or told to end under load. */
import { waitFor } from '../../../server/test/wait-for.ts'
import type { FaultKind } from '../kind.ts'
import { untilItWorks, untilSent } from '../progress.ts'

const WORK = 'delivery,fanout,dispatch,maintenance'

export const stoppedPastLease: FaultKind = {
  name: 'sigstop',
  what: 'a worker is stopped (SIGSTOP) until others have taken over its work, and continued',
  async start(stage) {
    await stage.run({ roles: 'api' })
    await stage.run({ roles: WORK })
    await stage.run({ roles: WORK })
  },
  async inject(stage) {
    const session = await stage.database.session()
    const workers = stage.processes.slice(1)
    const rounds = stage.isLong ? 20 : 2
    for (let round = 0; round < rounds; round++) {
      const { pid } = workers[round % 2]!
      await untilSent(stage, 20)
      process.kill(pid, 'SIGSTOP')
      const held = `select from carillon.routes where lease_owner like '%:${pid}:%'`
      await waitFor(async () => (await session.query(held)).rowCount === 0, {
        what: 'others to take over its routes',
      })
      await untilSent(stage, 20)
      process.kill(pid, 'SIGCONT')
    }
    return rounds
  },
}

export const toldToEnd: FaultKind = {
  name: 'sigterm',
  what: 'the process is told to end (SIGTERM) under load, and started again',
  async inject(stage) {
    const rounds = stage.isLong ? 20 : 2
    for (let round = 0; round < rounds; round++) {
      await untilItWorks(stage)
      const { code } = await stage.processes.at(-1)!.end('SIGTERM')
      stage.log(`ended with ${code}`)
      if (code !== 0) throw new Error(`SIGTERM ended the process with ${code}`)
      await stage.run()
    }
    return rounds
  },
}
