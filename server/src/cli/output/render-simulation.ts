/** Draws a simulation: each person, a line per channel, and below it why it waits or fails and the message. */
import type { SimulatedRoute, Simulation } from '@carillon/contract'
import type { Colors } from './colors.ts'
import { printable } from './printable.ts'
import { statusMark } from './route-status.ts'
import { formatMoment } from './times.ts'
import { wrap } from './wrap.ts'

const INDENT = 6
/** Enough to recognise a text; --json shows all of it. */
const MAX_LINES = 4

export function renderSimulation({ summary, people }: Simulation, colors: Colors, width: number): string {
  const drawRoute = routeDrawer(people, colors, width)
  return [
    colors.bold(printable(summary)),
    ...people.flatMap(person => [
      '',
      colors.bold(printable(person.recipient_ref)),
      ...person.routes.flatMap(drawRoute),
    ]),
  ].join('\n')
}

/** Draws the routes of these people, in columns that are the same for all. */
export function routeDrawer(
  people: { routes: SimulatedRoute[] }[],
  colors: Colors,
  width: number,
): (route: SimulatedRoute) => string[] {
  const widths = columnWidths(people.flatMap(person => person.routes))
  return route => [
    `  ${routeHeading(route, widths, colors)}`,
    ...[...decisionLines(route, colors, width), ...messageLines(route, colors, width)].map(
      line => `${' '.repeat(INDENT)}${line}`,
    ),
  ]
}

interface Widths {
  channel: number
  outcome: number
}

function columnWidths(routes: SimulatedRoute[]): Widths {
  const widest = (texts: string[]) => Math.max(0, ...texts.map(text => text.length))
  return { channel: widest(routes.map(route => route.channel)), outcome: widest(routes.map(outcomeOf)) }
}

function outcomeOf({ status, reason }: SimulatedRoute): string {
  return reason === '' ? status : `${status} (${printable(reason)})`
}

function routeHeading(route: SimulatedRoute, widths: Widths, colors: Colors): string {
  const { symbol, paint } = statusMark(route.status, colors)
  const outcome = paint(
    `${symbol} ${route.channel.padEnd(widths.channel)}  ${outcomeOf(route).padEnd(widths.outcome)}`,
  )
  const provider = route.provider === '' ? '' : `by ${printable(route.provider)}`
  const where = [printable(route.address), provider].filter(text => text !== '').join(' ')
  return `${outcome}  ${colors.dim(formatMoment(route.at))}  ${where}`.trimEnd()
}

/** What would delay or stop it; that it would be sent is already in the heading. */
function decisionLines({ decisions }: SimulatedRoute, colors: Colors, width: number): string[] {
  return decisions
    .filter(({ decision }) => decision !== 'sent')
    .flatMap(({ text }) => wrap(printable(text), width - INDENT))
    .map(line => colors.dim(line))
}

function messageLines({ message }: SimulatedRoute, colors: Colors, width: number): string[] {
  if (message === null) return []
  const subject = printable(message.subject)
  const lines = message.text
    .split('\n')
    .map(printable)
    .filter(line => line !== '')
    .flatMap(line => wrap(line, width - INDENT))
  const rest = lines.length - MAX_LINES
  return [
    ...(subject === '' ? [] : [colors.bold(subject)]),
    ...lines.slice(0, MAX_LINES),
    ...(rest > 0 ? [colors.dim(`… ${rest} more ${rest === 1 ? 'line' : 'lines'}; --json shows all`)] : []),
  ]
}
