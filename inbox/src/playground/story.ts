/** How it came about: what was decided, in order, then person by person and channel by channel. */
import type { PlaygroundOutcome } from '@carillon/sdk'
import { html, nothing, type TemplateResult } from 'lit'
import type { NameOf } from './messages.ts'
import { time } from './times.ts'

type Person = PlaygroundOutcome['people'][number]
type Route = Person['routes'][number]

export function story(outcome: PlaygroundOutcome, nameOf: NameOf): TemplateResult {
  return html`<p class="summary">${outcome.summary}</p>
    <ol class="moments">
      ${outcome.decisions.map(({ at, text }) => html`<li>${time(at)}<span>${text}</span></li>`)}
    </ol>
    ${outcome.people.map(person => lane(person, nameOf))}`
}

function lane({ user_id, text, routes }: Person, nameOf: NameOf): TemplateResult {
  return html`<section class="lane">
    <h3>${nameOf(user_id)}</h3>
    ${text === '' ? nothing : html`<p>${text}</p>`}
    ${routes.length === 0 ? nothing : html`<ul>${routes.map(line)}</ul>`}
  </section>`
}

const CHANNEL_NAMES: Record<string, string> = {
  in_app: 'Inbox',
  email: 'Mail',
  sms: 'Text message',
  push: 'Push',
}
const KINDS: Record<string, string> = { sent: 'ok', pending: 'info', retrying: 'info', dead: 'bad' }

function line({ channel, status, summary, decisions }: Route): TemplateResult {
  return html`<li>
    <details ?open=${status !== 'sent'}>
      <summary>
        <span class="status ${KINDS[status] ?? 'idle'}">${status}</span>
        <strong>${CHANNEL_NAMES[channel] ?? channel}</strong> <span>${summary}</span>
      </summary>
      <ol class="moments">
        ${decisions.map(({ at, text }) => html`<li>${time(at)}<span>${text}</span></li>`)}
      </ol>
    </details>
  </li>`
}
