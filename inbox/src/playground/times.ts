/** Times as people read them, with the exact one on hover. */
import { html, type TemplateResult } from 'lit'

const CLOCK = new Intl.DateTimeFormat('en', { timeStyle: 'medium', hourCycle: 'h23' })
const EXACT = new Intl.DateTimeFormat('en', { dateStyle: 'full', timeStyle: 'long' })
const DAY = new Intl.DateTimeFormat('en', {
  weekday: 'long',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
})

export const clock = (at: string): string => CLOCK.format(new Date(at))
export const time = (at: string): TemplateResult => exactly(at, CLOCK)
/** For what is on another day. */
export const dayAndTime = (at: string): TemplateResult => exactly(at, DAY)

function exactly(at: string, format: Intl.DateTimeFormat): TemplateResult {
  const moment = new Date(at)
  return html`<time datetime=${at} title=${EXACT.format(moment)}>${format.format(moment)}</time>`
}
