/** A database that answers, but refuses: no connection left, read-only after a failover, sessions ended by an operator. */
import { untilPassed } from '../../kill-rounds/victim.ts'
import type { FaultKind } from '../kind.ts'
import { untilAcknowledged, untilItWorks, untilUnanswered } from '../progress.ts'

const END_ALL = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and usename = datname`
const END_ONE = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and usename = datname order by random() limit 1`

export const tooManyClients: FaultKind = {
  name: 'too-many-clients',
  what: 'the database has no connection left, or only a few',
  async inject(stage) {
    const { name } = stage.database
    const admin = await stage.database.session()
    let injected = 0
    for (let round = 0; round < (stage.isLong ? 10 : 1); round++) {
      for (const limit of [0, 3]) {
        await admin.query(`alter database ${name} connection limit ${limit}`)
        await admin.query(END_ALL)
        injected++
        if (limit === 0) await untilUnanswered(stage, 20)
        else await untilItWorks(stage)
        await admin.query(`alter database ${name} connection limit -1`)
        await untilItWorks(stage)
      }
    }
    return injected
  },
}

export const readOnly: FaultKind = {
  name: 'read-only',
  what: 'a failover leaves Carillon connected to a server that only reads',
  async inject(stage) {
    const { name } = stage.database
    const admin = await stage.database.session()
    const rounds = stage.isLong ? 10 : 1
    for (let round = 0; round < rounds; round++) {
      await admin.query(`alter database ${name} set default_transaction_read_only = on`)
      await admin.query(END_ALL)
      await untilUnanswered(stage, 20)
      // Nobody ends the sessions that began meanwhile: they stay read-only for as long as Carillon keeps them.
      await admin.query(`alter database ${name} reset default_transaction_read_only`)
      await untilAcknowledged(stage, stage.isLong ? 100 : 40)
    }
    return rounds
  },
}

export const terminatedBackends: FaultKind = {
  name: 'terminated-backends',
  what: 'every 200 ms an operator ends a session of Carillon, for two minutes',
  async inject(stage) {
    const admin = await stage.database.session()
    const end = Date.now() + 120_000
    let injected = 0
    while (stage.isLong ? Date.now() < end : injected < 6) {
      injected += (await admin.query(END_ONE)).rowCount ?? 0
      if (stage.isLong) await untilPassed(200)
      else await untilAcknowledged(stage, 5)
    }
    return injected
  },
}
