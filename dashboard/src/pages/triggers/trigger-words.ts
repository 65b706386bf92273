/** What makes scripts run, in words. Typed against the contract, so that a new kind cannot be forgotten. */
import type { Trigger, TriggerKind } from '@carillon/contract'
import { Clock, Database, Inbox, ListEnd, type LucideIcon, Mail, Radio, Webhook } from 'lucide-react'

export const TRIGGER_KINDS: Record<TriggerKind, { title: string; help: string; icon: LucideIcon }> = {
  cron: { title: 'Time', help: 'Runs again and again, by a cron expression.', icon: Clock },
  event: { title: 'Event', help: 'Runs when your application says that something happened.', icon: Radio },
  http: { title: 'HTTP call', help: 'Gets an address of its own and runs when it is called.', icon: Webhook },
  kv: { title: 'KV entry', help: 'Runs when an entry is written or deleted.', icon: Database },
  queue: { title: 'Queue', help: 'Runs for every message that is put into a queue.', icon: ListEnd },
  email: { title: 'Mail', help: 'Runs when a mail comes in for an address.', icon: Mail },
  dead_letter: { title: 'Dead letter', help: 'Runs when work is given up, to handle it.', icon: Inbox },
}

export const KIND_NAMES = Object.keys(TRIGGER_KINDS) as TriggerKind[]

/** Such as "orders:* is inserted or updated". */
export function sayWhen(trigger: Trigger): string {
  switch (trigger.kind) {
    case 'kv': {
      const { collection, ops } = trigger.config
      return `${collection}, ${ops.length === 0 ? 'any change' : ops.join(' or ')}`
    }
    case 'cron':
      return `${trigger.config.cron} in ${trigger.config.timezone}`
    case 'event':
      return trigger.config.event_kind + (trigger.config.topic ? ` in ${trigger.config.topic}` : '')
    case 'queue':
      return trigger.config.queue
    case 'email':
      return trigger.config.address
    case 'http':
      return `${trigger.config.methods.join(', ')} /${trigger.url_hint}`
    case 'dead_letter':
      return trigger.config.source ?? 'anything that is given up'
  }
}

/** What would make it run, for a trigger that has not run yet. */
export function sayHint(trigger: Trigger): string {
  if (!trigger.is_enabled) return 'It is switched off, so nothing makes it run.'
  switch (trigger.kind) {
    case 'cron':
      return 'It runs at its next time.'
    case 'http':
      return 'It runs when its address is called.'
    default:
      return `It runs when this happens: ${TRIGGER_KINDS[trigger.kind].title.toLowerCase()} ${sayWhen(trigger)}.`
  }
}

export const MISFIRES = {
  run_once: 'Run once for all of them',
  run_all: 'Run each of them, up to 100',
  skip: 'Skip those late by more than a minute',
} as const
