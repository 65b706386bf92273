/** Receivers that take a message and do not say so, or say so too late. */
import { setTimeout as delay } from 'node:timers/promises'
import { waitFor } from '../../../server/test/wait-for.ts'
import type { FaultKind } from '../kind.ts'
import { untilAcknowledged, untilItWorks } from '../progress.ts'
import type { Stage } from '../stage.ts'

const PROVIDER_TIMEOUT_MS = 2_000
const TOO_LATE_MS = 2_500
const settings = () => ({ CARILLON_PROVIDER_TIMEOUT_MS: String(PROVIDER_TIMEOUT_MS) })

export const smtpDies: FaultKind = {
  name: 'smtp-dies',
  what: 'the mail server keeps the mail and dies before its 250',
  inject: stage => misbehave(stage, { drop: 'data' }),
}

export const smtpHangs: FaultKind = {
  name: 'smtp-hangs',
  what: 'the mail server says nothing more after the mail',
  settings,
  inject: stage => misbehave(stage, { hang: 'data' }),
}

export const httpTooLate: FaultKind = {
  name: 'http-too-late',
  what: 'an HTTP service does the work and answers when nobody waits any more',
  settings,
  async inject(stage) {
    const wanted = stage.isLong ? 200 : 5
    let injected = 0
    stage.http.answerWith(async () => {
      if (injected >= wanted) return {}
      injected++
      await delay(TOO_LATE_MS)
      return {}
    })
    await waitFor(async () => injected >= wanted, {
      what: `${wanted} answers that come too late`,
      deadlineMs: 600_000,
    })
    await untilItWorks(stage)
    return injected
  },
}

async function misbehave(stage: Stage, behaviour: Parameters<Stage['smtp']['behave']>[0]): Promise<number> {
  const { smtp } = stage
  let injected = 0
  for (let round = 0; round < (stage.isLong ? 10 : 1); round++) {
    await untilAcknowledged(stage, 30)
    const before = countData(stage)
    smtp.behave(behaviour)
    await waitFor(async () => countData(stage) >= before + 3, {
      what: 'mails that are not answered',
      deadlineMs: 300_000,
    })
    smtp.behave('accept')
    injected += countData(stage) - before
    await untilMailsFlow(stage)
  }
  return injected
}

/** The breaker waits twice as long after every probe that fails, so the next round starts when it is closed again. */
async function untilMailsFlow({ smtp }: Stage): Promise<void> {
  const before = smtp.mails.length
  await waitFor(async () => smtp.mails.length >= before + 10, {
    what: 'mails to flow again',
    deadlineMs: 300_000,
  })
}

function countData({ smtp }: Stage): number {
  return smtp.steps.filter(step => step === 'data').length
}
