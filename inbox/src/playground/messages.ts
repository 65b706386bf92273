/** What was captured, as the person would have seen it: a mail, a bubble on a phone, a push. */
import type { PlaygroundMessage } from '@carillon/sdk'
import { html, nothing, type TemplateResult } from 'lit'
import { keyed } from 'lit/directives/keyed.js'
import { time } from './times.ts'

export type NameOf = (userId: string) => string

const RANK = ['push', 'sms', 'email']

/** Those of the latest first; within one sending the short ones, so that one glance shows every kind. */
export function inOrder(groups: PlaygroundMessage[][]): PlaygroundMessage[] {
  return groups.flatMap(group =>
    [...group].sort(
      (one, other) =>
        RANK.indexOf(one.channel) - RANK.indexOf(other.channel) || one.user_id.localeCompare(other.user_id),
    ),
  )
}

export function messageCard(message: PlaygroundMessage, nameOf: NameOf): TemplateResult {
  const draw = { email: mail, sms: bubble, push }[message.channel as 'email' | 'sms' | 'push']
  return draw(message, nameOf(message.user_id))
}

function mail({ id, subject, text, address, frame, at }: PlaygroundMessage, name: string): TemplateResult {
  // An address is signed anew with every answer; the frame must not load again for that.
  const body =
    frame === null
      ? html`<p class="text">${text}</p>`
      : keyed(
          id,
          html`<iframe sandbox="" referrerpolicy="no-referrer" src=${once(id, frame)} title="Mail to ${name}: ${subject}"></iframe>`,
        )
  return html`<article class="message mail">
    <header>
      <h3>${subject}</h3>
      <p class="meta"><span>Mail to ${name}</span> <span class="address">${address}</span> ${time(at)}</p>
    </header>
    ${body}
  </article>`
}

function bubble({ text, address, at }: PlaygroundMessage, name: string): TemplateResult {
  return html`<article class="message sms">
    <h3 class="meta"><span>Text message to ${name}</span> <span class="address">${address}</span> ${time(at)}</h3>
    <p class="bubble">${text}</p>
  </article>`
}

function push({ subject, text, at }: PlaygroundMessage, name: string): TemplateResult {
  return html`<article class="message push">
    <h3 class="meta"><span>Push to ${name}’s phone</span> ${time(at)}</h3>
    <div class="card">
      <svg class="bell" viewBox="0 0 16 16" aria-hidden="true">
        <path d="M8 1.8c-2.4 0-4 1.7-4 4.1v2.4L2.8 10.9c-.3.6 0 1.1.6 1.1h9.2c.6 0 .9-.5.6-1.1L12 8.3V5.9c0-2.4-1.6-4.1-4-4.1Z" />
        <path d="M6.4 13.4a1.7 1.7 0 0 0 3.2 0" />
      </svg>
      <div>
        <strong>${subject}</strong>
        ${text === '' ? nothing : html`<p>${text}</p>`}
      </div>
    </div>
  </article>`
}

const frames = new Map<string, string>()

/** The first address of each mail. */
function once(id: string, address: string): string {
  if (!frames.has(id)) frames.set(id, address)
  return frames.get(id)!
}
