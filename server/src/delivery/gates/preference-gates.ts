/**
 * What the person wants, or the tenant's defaults where they have not chosen. Critical types ignore quiet hours and caps,
 * but not what is switched off; required categories ignore that, and caps, but not quiet hours.
 */
import type { SkipReason } from '@carillon/contract'
import {
  byDefault,
  type ChoiceLayers,
  categoryWanted,
  channelWanted,
  type Decided,
  quietHours,
  reasonWanted,
  zoneOf,
} from '../../people/preferences/choices.ts'
import { toRange } from '../../people/preferences/quiet-windows.ts'
import { quietUntil } from '../../platform/time/local-time.ts'
import type { ClaimedRoute } from '../routes/claim.ts'
import type { Gate } from './gate.ts'
import { expire, postpone, skip } from './obstacle.ts'

export const reasonOff = switchedOff(
  'reason_off',
  reasonWanted,
  ({ intent_reason }) => `for the reason "${intent_reason}"`,
)

export const categoryOff = switchedOff(
  'category_off',
  categoryWanted,
  ({ category }) => `for the category "${category}"`,
)

export const channelOff = switchedOff('channel_disabled', channelWanted, () => 'altogether')

/** The digest would go out after the deadline, so waiting for it is pointless. */
export const digestTooLate: Gate = ({ route, now, nextDigest }) => {
  if (nextDigest === undefined || route.ms_to_deadline === null) return undefined
  const { at, text } = nextDigest
  return at.getTime() - now.getTime() >= route.ms_to_deadline
    ? expire(`${text}, next at ${at.toISOString()}, which is after expires_at.`)
    : undefined
}

/** Joining a digest disturbs nobody: a pause applies to the digest itself. */
export const paused: Gate = ({ route, now, nextDigest }) => {
  const until = route.own.paused_until
  if (until === null || until <= now || route.critical || nextDigest !== undefined) return undefined
  const delayMs = until.getTime() - now.getTime()
  const text = `The person has paused this channel until ${until.toISOString()}`
  if (route.ms_to_deadline !== null && delayMs >= route.ms_to_deadline)
    return expire(`${text}, which is after expires_at.`)
  return postpone('paused', `${text}.`, delayMs)
}

/** Joining a digest disturbs nobody: quiet hours apply to the digest itself. */
export const withinQuietHours: Gate = ({ route, now, nextDigest }) => {
  const hours = route.critical || nextDigest !== undefined ? undefined : quietHours(route)
  if (hours === undefined) return undefined
  const untilMs = quietUntil(hours.value.map(toRange), zoneOf(route), now.getTime())
  if (untilMs === undefined) return undefined
  const delayMs = untilMs - now.getTime()
  const text = `Quiet hours in ${zoneOf(route)} until ${new Date(untilMs).toISOString()}`
  if (route.ms_to_deadline !== null && delayMs >= route.ms_to_deadline)
    return expire(`${text}, which is after expires_at.`)
  return postpone('quiet_hours', `${text}${byDefault(hours)}.`, delayMs)
}

/** A required category is sent nevertheless, and the attempt says why. */
function switchedOff(
  reason: SkipReason,
  isWanted: (choices: ChoiceLayers) => Decided<boolean> | undefined,
  what: (route: ClaimedRoute) => string,
): Gate {
  return ({ route }) => {
    const wanted = isWanted(route)
    if (wanted === undefined || wanted.value) return undefined
    const who = wanted.by === 'person' ? 'The person' : 'The default for people who have not chosen'
    const text = `${who} switched this channel off ${what(route)}`
    if (!route.required) return skip(reason, `${text}.`)
    const but = reason === 'category_off' ? 'which' : `but the category "${route.category}"`
    return { kind: 'pass', note: `${text}, ${but} is required.` }
  }
}
