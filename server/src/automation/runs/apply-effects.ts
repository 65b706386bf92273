/**
 * Writes what a script wanted done, in the transaction that stores its run: all of it or nothing. Always in the same order
 * (entries, dead letters, system events, notifications), so that two runs wait for each other and never both.
 */
import type { RunEffect, ScriptEffect } from '@carillon/contract'
import { acceptAllInTransaction } from '../../intake/intents/accept.ts'
import { type CheckedIntent, checkIntent } from '../../intake/intents/intent.ts'
import { recordChange } from '../../oversight/audit-logs/audit-logs.ts'
import { raiseSystemEvent } from '../../oversight/system-events/system-events.ts'
import { Refusal } from '../../platform/calls/refusal.ts'
import type { Client } from '../../platform/database/pool.ts'
import {
  findDeadLetter,
  type LetterRoutes,
  replayDeadLetter,
  resolveDeadLetter,
} from '../../reactions/dead-letters/dead-letters.ts'
import { deleteEntry, setEntry } from '../kv/kv.ts'
import type { Actor } from './actor.ts'

/** A run that is being stored. */
export interface RunInHand {
  id: string
  tenantId: string
  eventId: string
  /** Of what the run causes. */
  depth: number
  actor: Actor
  script: { name: string }
}

type EffectOf<Type extends ScriptEffect['type']> = Extract<ScriptEffect, { type: Type }>
type LetterEffect = EffectOf<'replay_dead_letter' | 'resolve_dead_letter'>

/** Scripts cannot raise the events that Carillon itself raises. */
const EVENT_PREFIX = 'script.'

/** Gives what was done, in the order in which the script asked for it. Throws a Refusal that names the call at fault. */
export async function applyEffects(
  tx: Client,
  letterRoutes: LetterRoutes,
  run: RunInHand,
  effects: ScriptEffect[],
): Promise<RunEffect[]> {
  const done = new Map<ScriptEffect, RunEffect>()
  for (const effect of only(effects, 'kv_set', 'kv_delete'))
    done.set(effect, await changeEntry(tx, run, effect))
  const letters = only(effects, 'replay_dead_letter', 'resolve_dead_letter')
  for (const effect of letters.toSorted(byText(({ id }) => id)))
    done.set(effect, await endLetter(tx, letterRoutes, run, effect))
  const events = only(effects, 'raise_system_event')
  for (const effect of events.toSorted(byText(({ event }) => `${event.event_type} ${event.subject ?? ''}`)))
    done.set(effect, await raise(tx, run, effect))
  const notifications = only(effects, 'notify')
  const sent = notifications.length === 0 ? [] : await notify(tx, run, notifications)
  for (const [i, effect] of notifications.entries()) done.set(effect, sent[i]!)
  return effects.map(effect => done.get(effect)!)
}

function only<Type extends ScriptEffect['type']>(
  effects: ScriptEffect[],
  ...types: Type[]
): EffectOf<Type>[] {
  return effects.filter((effect): effect is EffectOf<Type> => types.includes(effect.type as Type))
}

const byText =
  <Item>(textOf: (item: Item) => string) =>
  (a: Item, b: Item): number =>
    textOf(a) < textOf(b) ? -1 : 1

const originOf = (run: RunInHand): string => `run:${run.id}`

async function changeEntry(
  tx: Client,
  run: RunInHand,
  effect: EffectOf<'kv_set' | 'kv_delete'>,
): Promise<RunEffect> {
  const { type, collection, key } = effect
  const cause = { depth: run.depth, origin: originOf(run) }
  await naming(`kv.${type.slice(3)}`, () =>
    effect.type === 'kv_set'
      ? setEntry(tx, run.tenantId, effect, cause)
      : deleteEntry(tx, run.tenantId, { collection, key }, cause),
  )
  return { type, collection, key }
}

/** In the audit log, a run is named by what was asked of it: there is no key, and no request. */
async function endLetter(
  tx: Client,
  letterRoutes: LetterRoutes,
  run: RunInHand,
  effect: LetterEffect,
): Promise<RunEffect> {
  const { tenantId } = run
  const { id } = effect
  const before = await findDeadLetter(tx, tenantId, id)
  const isReplay = effect.type === 'replay_dead_letter'
  const after = await naming(`deadLetters.${isReplay ? 'replay' : 'resolve'}`, () =>
    isReplay
      ? replayDeadLetter(tx, letterRoutes, tenantId, id, null, run.depth)
      : resolveDeadLetter(tx, tenantId, id, { resolution: effect.resolution }, null),
  )
  const action = isReplay ? 'replay' : 'resolve'
  await recordChange(tx, tenantId, {
    type: 'dead_letter',
    id,
    action,
    request_id: originOf(run),
    before,
    after,
  })
  return isReplay ? { type: 'replay_dead_letter', id } : effect
}

async function raise(
  tx: Client,
  run: RunInHand,
  { type, event }: EffectOf<'raise_system_event'>,
): Promise<RunEffect> {
  const event_type = `${EVENT_PREFIX}${event.event_type}`
  const details = { ...event.details, script: run.script.name, run_id: run.id, trigger_depth: run.depth }
  const { subject = '', severity, description } = event
  const raised = { tenant_id: run.tenantId, event_type, subject, severity, description, details }
  const { id } = await raiseSystemEvent(tx, raised)
  return { type, id, event_type, subject }
}

async function notify(tx: Client, run: RunInHand, effects: EffectOf<'notify'>[]): Promise<RunEffect[]> {
  const intents = effects.map(effect => toChecked(run, effect))
  const answers = await acceptAllInTransaction(tx, intents)
  return effects.map(({ type, position }, i) => {
    const answer = answers[i]!
    if (answer instanceof Refusal) throw named(`notify ${position}`, answer)
    const { notification_id, duplicate } = answer
    return { type, position, notification_type: intents[i]!.notification_type, notification_id, duplicate }
  })
}

/** Its key names the event and not the attempt, so that no repeat of a run can send anything twice. */
function toChecked(run: RunInHand, { position, intent }: EffectOf<'notify'>): CheckedIntent {
  const payloadText = JSON.stringify(intent.payload)
  const checked = checkIntent(
    { value: intent, text: '', payloadText },
    {
      tenant_id: run.tenantId,
      source: 'script',
      defaultProducer: run.actor.defaultProducer,
      allowsProducer: run.actor.allowsProducer,
      ...(intent.idempotency_key === undefined && { idempotencyKey: `run:${run.eventId}:${position}` }),
    },
  )
  return { ...checked, run_id: run.id, trigger_depth: run.depth }
}

async function naming<Result>(call: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof Refusal ? named(call, error) : error
  }
}

const named = (call: string, { code, message, errors }: Refusal): Refusal =>
  new Refusal(code, `${call}: ${message}`, errors)
