// @ts-check
/// <reference types="@carillon/sdk/scripts" />
/**
 * Sends again what died while a provider was down, as soon as it is back.
 *
 * Triggers: dead_letter with source "route", and queue "provider-recovered", which whoever notices the recovery writes to.
 */
const OUTAGE = ['max_retries_exceeded', 'provider_rate_limit_exceeded', 'provider_misconfigured']
/** A run has at most 100 effects; the rest waits for the next message. */
const AT_ONCE = 90

export default async function run() {
  /** @type {string[]} */
  const waiting = (await kv.get('replays', 'waiting')) ?? []
  if (event.kind === 'dead_letter') {
    const { id, failure_reason } = event.data.dead_letter
    if (!OUTAGE.includes(failure_reason)) return 'not because of an outage'
    await kv.set('replays', 'waiting', [...waiting, id])
    return 'remembered'
  }
  for (const id of waiting.slice(0, AT_ONCE)) await deadLetters.replay(id)
  await kv.set('replays', 'waiting', waiting.slice(AT_ONCE))
  return { replayed: Math.min(waiting.length, AT_ONCE) }
}
