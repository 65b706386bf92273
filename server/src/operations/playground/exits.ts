/**
 * What would leave this machine because of the playground. A channel with a real provider is not used; where anything else
 * of the tenant would be called, nothing is sent at all.
 */
import type { Channel, PlaygroundStage, Trigger, Webhook } from '@carillon/contract'
import { CHANNELS, EVENT_KINDS, type PlaygroundChannel, TOPIC } from './cast.ts'
import type { OwnCalls } from './own-calls.ts'

export interface ExitParts {
  /** Whether messages of the channel are captured now. */
  isCaptured(tenantId: string, channel: Channel): Promise<boolean>
  /** Whether a server of the tenant is asked who may see an event. */
  isAsked(tenantId: string): Promise<boolean>
}

export async function findExits(
  parts: ExitParts,
  calls: OwnCalls,
  tenantId: string,
): Promise<Pick<PlaygroundStage, 'channels' | 'exits'>> {
  const channels = await Promise.all(
    CHANNELS.map(async channel => ({
      channel,
      is_used: channel === 'in_app' || (await parts.isCaptured(tenantId, channel)),
    })),
  )
  const exits = [
    (await hasWebhook(calls)) && 'The tenant has a webhook, which would be called.',
    (await hasTrigger(calls)) && 'The tenant has a trigger that would run a script for these events.',
    (await parts.isAsked(tenantId)) && 'The tenant’s own server would be asked who may see these events.',
  ]
  return { channels, exits: exits.filter(exit => exit !== false) }
}

export function usedChannels({ channels }: Pick<PlaygroundStage, 'channels'>): PlaygroundChannel[] {
  return CHANNELS.filter(name => channels.some(({ channel, is_used }) => is_used && channel === name))
}

async function hasWebhook(calls: OwnCalls): Promise<boolean> {
  const { data } = await calls.get<{ data: Webhook[] }>('/v1/webhooks?limit=100')
  return data.some(({ is_active }) => is_active)
}

/** Of the first hundred; with more of them, nobody knows. */
async function hasTrigger(calls: OwnCalls): Promise<boolean> {
  const path = '/v1/triggers?kind=event&state=enabled&limit=100'
  const { data, next_cursor } = await calls.get<{ data: Trigger[]; next_cursor: string | null }>(path)
  return next_cursor !== null || data.some(wouldRun)
}

function wouldRun({ config }: Trigger): boolean {
  const { event_kind = '*', topic = null } = config as { event_kind?: string; topic?: string | null }
  if (topic !== null && topic !== TOPIC) return false
  const start = EVENT_KINDS.slice(0, -1)
  const named = event_kind.replace(/\*$/, '')
  return named.startsWith(start) || start.startsWith(named)
}
