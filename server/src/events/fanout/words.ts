/** What fan-out decided, in words. */
import type { AppliedRule } from '@carillon/contract'
import type { PersonRow, ScopeRow } from './decisions.ts'

interface Event {
  kind: string
  actor_id: string | null
  thread_kind: string | null
  thread_id: string | null
}

const quoted = (names: string[]): string => names.map(name => `"${name}"`).join(', ')

export const NO_RELATION =
  'They stand in no relation to the event that fan-out knows: nobody names them in it, they take no part in its thread, do not follow it, and do not watch its topic for this kind.'

export function ruleText(rule: AppliedRule): string {
  const whose = rule.is_built_in ? 'the built-in rule' : 'the tenant’s own rule'
  const passes = rule.passes_mute ? ', which also reaches people who muted it' : ''
  return `${whose} for "${rule.event_kind}" and the relation "${rule.relation}"${passes}`
}

/** What the event is and where it happened. */
export function eventText(event: Event, { topic }: Pick<ScopeRow, 'topic'>): string {
  const by = event.actor_id === null ? 'by the system' : `by "${event.actor_id}"`
  const thread =
    event.thread_id === null ? '' : `, about the thread ${event.thread_kind} "${event.thread_id}"`
  const place = topic === null ? '' : `, in the topic "${topic}"`
  return `"${event.kind}" ${by}${thread}${place}`
}

export function personText(
  person: PersonRow,
  event: Event,
  { topic }: Pick<ScopeRow, 'topic'>,
  rule: AppliedRule | undefined,
): string {
  const relations = quoted(person.relations)
  switch (person.outcome) {
    case 'told':
      return `Told for the reason "${rule?.reason}" on ${person.channels.join(', ')}, by ${rule && ruleText(rule)}.`
    case 'in_app_off':
      return `Not told: ${rule && ruleText(rule)} has only the inbox, and they do not want this there.`
    case 'no_channel':
      return `Not told: the type "${rule?.notification_type}" may be sent on none of the channels that ${rule && ruleText(rule)} has.`
    case 'not_member':
      return `Not told: only members of the topic "${topic}" may see it, and they are not one.`
    case 'not_visible':
      return 'Not told: the tenant’s own server says that they may not see it.'
    case 'unsubscribed':
      return `Not told: they left the thread, and none of their relations (${relations}) has a rule that reaches them nevertheless.`
    case 'ignores_topic':
      return `Not told: they ignore the topic "${topic}", and none of their relations (${relations}) has a rule that reaches them nevertheless.`
    case 'actor':
      return 'Not told: they did it themselves.'
    case 'no_rule':
      return `Not told: for "${event.kind}", none of their relations (${relations}) has a rule.`
    case 'unknown_user':
      return 'Not told: there is no user with this id.'
  }
}
