/** Draws what became of an event, or what would: its rules, and below them person by person. */
import type { AppliedRule, EventExplanation, EventSimulation, FanoutOutcome } from '@carillon/contract'
import type { Colors } from './colors.ts'
import { printable } from './printable.ts'
import { routeDrawer } from './render-simulation.ts'
import { statusMark } from './route-status.ts'
import { renderDecisions } from './timeline.ts'
import { wrap } from './wrap.ts'

interface Person {
  user_id: string
  outcome: FanoutOutcome
  text: string
}

export function renderEventExplanation(
  { event_id, summary, decisions, rules, people }: EventExplanation,
  colors: Colors,
  width: number,
): string {
  return [
    colors.bold(printable(summary)),
    colors.dim(event_id),
    ...renderDecisions(decisions, decisions[0]?.at ?? null, 2, colors, width),
    ...ruleLines(rules, colors),
    ...people.flatMap(person => [
      ...personLines(person, colors, width),
      ...(person.inbox === null ? [] : [`  ${printable(person.inbox.text)}`]),
      ...person.notification_ids.map(id => `  ${colors.dim(`notification ${id}`)}`),
    ]),
  ].join('\n')
}

export function renderEventSimulation(
  { summary, rules, people }: EventSimulation,
  colors: Colors,
  width: number,
): string {
  const drawRoute = routeDrawer(people, colors, width)
  const inbox = {
    none: [],
    new: ['  A new row in the inbox.'],
    updated: ['  The row in the inbox is updated.'],
  }
  return [
    colors.bold(printable(summary)),
    ...ruleLines(rules, colors),
    ...people.flatMap(person => [
      ...personLines(person, colors, width),
      ...inbox[person.inbox],
      ...person.routes.flatMap(drawRoute),
    ]),
  ].join('\n')
}

function ruleLines(rules: AppliedRule[], colors: Colors): string[] {
  const longest = Math.max(0, ...rules.map(({ relation }) => relation.length))
  const lines = rules.map(({ relation, channels, passes_mute, is_built_in }) => {
    const notes = [...(is_built_in ? [] : ['own']), ...(passes_mute ? ['passes mutes'] : [])].join(', ')
    return `  ${relation.padEnd(longest)}  ${channels.join(', ')}${notes && `  ${colors.dim(`(${notes})`)}`}`
  })
  return lines.length === 0 ? [] : ['', colors.bold('Rules, in the order in which they decide'), ...lines]
}

function personLines({ user_id, outcome, text }: Person, colors: Colors, width: number): string[] {
  const { symbol, paint } = statusMark(outcome === 'told' ? 'sent' : 'skipped', colors)
  const heading = `${paint(symbol)} ${colors.bold(printable(user_id))}`
  return ['', heading, ...wrap(printable(text), width - 2).map(line => `  ${line}`)]
}
