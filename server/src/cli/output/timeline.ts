/** Draws an explanation: decisions about the whole notification, then each person, channel and decision, indented. */
import { type Decision, type Explanation, ROUTE_STATUSES, type RouteStatus } from '@carillon/contract'
import type { Colors } from './colors.ts'
import { printable } from './printable.ts'
import { type Paint, statusMark } from './route-status.ts'
import { formatMoment, formatSpan } from './times.ts'
import { wrap } from './wrap.ts'

type ExplainedRoute = Explanation['people'][number]['routes'][number]

export function renderTimeline(explanation: Explanation, colors: Colors, width: number): string {
  const accepted = acceptMoment(explanation)
  const drawDecisions = (decisions: Decision[], indent: number) =>
    renderDecisions(decisions, accepted, indent, colors, width)
  const drawRoute = (route: ExplainedRoute) => [
    `  ${routeHeading(route, colors)}`,
    ...drawDecisions(route.decisions, 4),
  ]

  return [
    colors.bold(printable(explanation.summary)),
    colors.dim(`${explanation.notification_id}, accepted ${formatMoment(accepted)}`),
    ...drawDecisions(explanation.decisions, 2),
    ...explanation.people.flatMap(person => [
      '',
      colors.bold(printable(person.recipient_ref)),
      ...(person.inbox === null ? [] : [`  ${printable(person.inbox.text)}`]),
      ...person.routes.flatMap(drawRoute),
    ]),
  ].join('\n')
}

/** The zero of the timeline: when it was accepted, or the first known time if that is past its retention. */
function acceptMoment({ decisions, people }: Explanation): string | null {
  const accept = decisions.find(({ decision }) => decision === 'accepted') ?? decisions[0]
  return accept?.at ?? people[0]?.routes[0]?.decisions[0]?.at ?? null
}

function routeHeading({ channel, status, summary }: ExplainedRoute, colors: Colors): string {
  const { symbol, paint } = statusMark(status, colors)
  return `${paint(`${symbol} ${channel} ${status}`)}  ${printable(summary)}`.trimEnd()
}

/** Decisions with their distance from the moment of acceptance, one below the other. */
export function renderDecisions(
  decisions: Decision[],
  accepted: string | null,
  indent: number,
  colors: Colors,
  width: number,
): string[] {
  const times = decisions.map(({ at }) =>
    `+${formatSpan(Date.parse(at) - Date.parse(accepted ?? at))}`.replace('+-', '-'),
  )
  const timeWidth = Math.max(...times.map(time => time.length))
  const nameWidth = Math.max(...decisions.map(({ decision }) => decision.length))
  // Indent, time, space, mark, space, name, two spaces.
  const textStart = indent + timeWidth + 1 + 1 + 1 + nameWidth + 2

  return decisions.map(({ decision, text }, i) => {
    const { symbol, paint } = decisionMark(decision, colors)
    const time = colors.dim(times[i]!.padStart(timeWidth))
    const name = paint(`${symbol} ${printable(decision).padEnd(nameWidth)}`)
    const sentence = wrap(printable(text), width - textStart).join(`\n${' '.repeat(textStart)}`)
    return `${' '.repeat(indent)}${time} ${name}  ${sentence}`.trimEnd()
  })
}

/** The status whose mark is used for decisions that are not statuses. All others get a plain dot. */
const LOOKS_LIKE: { [decision: string]: RouteStatus } = {
  accepted: 'sent',
  expanded: 'sent',
  retry: 'retrying',
  rate_limited: 'retrying',
  uncertain: 'retrying',
  lost: 'retrying',
  postponed: 'retrying',
  replayed: 'retrying',
  permanent: 'dead',
  config: 'dead',
  dead_lettered: 'dead',
  handler_failed: 'dead',
  ignored: 'skipped',
  handled_by_script: 'skipped',
}

function decisionMark(decision: string, colors: Colors): { symbol: string; paint: Paint } {
  const status = ROUTE_STATUSES.find(status => status === decision) ?? LOOKS_LIKE[decision]
  return status === undefined ? { symbol: '·', paint: text => text } : statusMark(status, colors)
}
