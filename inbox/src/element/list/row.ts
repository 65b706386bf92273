/** One row: what happened, why this person has it, and what they can do. */
import type { InboxItem } from '@carillon/sdk'
import { html, nothing, type TemplateResult } from 'lit'
import type { TriageAction } from '../../client/state.ts'
import type { ListWords } from '../../locales/list-words.ts'
import { say, sayCount } from '../../locales/say.ts'
import { actionsFor } from './actions-for.ts'
import type { ProfileOf } from './actors.ts'
import { buttons } from './buttons.ts'
import { faces } from './faces.ts'
import { ICONS } from './icons.ts'
import { pageAddress } from './page-address.ts'
import { plain } from './plain.ts'
import type { Times } from './times.ts'

export interface RowContext {
  words: ListWords
  locale: string
  times: Times
  now: number
  profileOf: ProfileOf | undefined
  /** Of how many rows it is one; -1 while nobody knows. */
  setSize: number
}

export interface RowState {
  position: number
  isSelected: boolean
  /** The one that Tab reaches; the keys lead to the others. */
  isActive: boolean
}

const MAX_TITLE = 300
const MAX_MESSAGE = 500

export const titleOf = (item: InboxItem): string =>
  plain(item.title, MAX_TITLE) || plain(item.type, MAX_TITLE)

export function row(item: InboxItem, state: RowState, context: RowContext): TemplateResult {
  const { words } = context
  const { isSelected, isActive } = state
  const tab = isActive ? 0 : -1
  const title = titleOf(item)
  return html`<div
    role="listitem"
    class="row ${item.is_read ? '' : 'unread'} ${isSelected ? 'selected' : ''}"
    part=${item.is_read ? 'row' : 'row unread'}
    data-key=${item.id}
    aria-setsize=${context.setSize}
    aria-posinset=${state.position}
  >
    <label class="pick"
      ><input type="checkbox" data-do="select" tabindex=${tab} .checked=${isSelected}
        aria-label="${words.select}: ${title}"
    /></label>
    ${faces(item, context)}
    <div class="body">
      ${opener(item, title, tab, words)}
      ${item.message === '' || item.message === item.title ? nothing : html`<p class="message" part="message" id="m${item.id}"><bdi>${plain(item.message, MAX_MESSAGE)}</bdi></p>`}
      ${meta(item, context)} ${buttons(item, tab)}
    </div>
    <div class="actions" part="actions">
      ${actionsFor(item).map(action => actionButton(action, words, tab))}
      <button type="button" class="more" data-do="more" tabindex=${tab} aria-haspopup="menu" aria-label=${words.more} title=${words.more}>
        ${ICONS.more}
      </button>
    </div>
  </div>`
}

/** The whole row is its target, so that a middle click anywhere opens another tab. */
function opener(item: InboxItem, title: string, tab: number, words: ListWords): TemplateResult {
  const address = pageAddress(item.url)
  const described = `m${item.id} x${item.id}`
  const content = html`${item.is_read ? '' : html`<span class="unseen">${words.unread}: </span>`}<bdi>${title}</bdi>`
  return address === undefined
    ? html`<button type="button" class="open" part="title" data-do="open" tabindex=${tab} aria-describedby=${described}>${content}</button>`
    : html`<a class="open" part="title" data-do="open" href=${address} tabindex=${tab} aria-describedby=${described}>${content}</a>`
}

function meta(item: InboxItem, { words, locale, times, now }: RowContext): TemplateResult {
  const at = Date.parse(item.last_event_at)
  const snoozed = item.snoozed_until === null ? 0 : Date.parse(item.snoozed_until)
  return html`<div class="meta" part="meta" id="x${item.id}">
    ${item.topic === null ? '' : html`<bdi class="topic" part="topic">${plain(item.topic, 100)}${numberOf(item)}</bdi>`}
    <time part="time" datetime=${item.last_event_at} title=${times.exactly(at)}>${times.ago(at, now)}</time>
    ${item.reason === '' ? '' : html`<bdi class="reason" part="reason">${reasonOf(item.reason, words)}</bdi>`}
    ${item.event_count > 1 ? html`<span>${sayCount(locale, words.events, item.event_count)}</span>` : ''}
    ${snoozed > now ? html`<span>${say(words.snoozedUntil, { until: times.soon(snoozed, now) })}</span>` : ''}
  </div>`
}

/** An issue’s number, as ` #42`. */
function numberOf({ summary: { number } }: InboxItem): string {
  return typeof number === 'number' || typeof number === 'string' ? ` #${plain(String(number), 20)}` : ''
}

function reasonOf(reason: string, words: ListWords): string {
  return Object.hasOwn(words.reasons, reason)
    ? words.reasons[reason]!
    : plain(reason.replaceAll('_', ' '), 40)
}

export function actionButton(action: TriageAction, words: ListWords, tab = 0): TemplateResult {
  const label = words.actions[action]
  return html`<button type="button" part="action" data-do=${action} tabindex=${tab} aria-label=${label} title=${label}
    aria-haspopup=${action === 'snooze' ? 'menu' : nothing}>${ICONS[action]}</button>`
}
