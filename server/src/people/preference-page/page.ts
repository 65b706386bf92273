/** The pages that people see: their preferences, and unsubscribing from mails. Plain forms, no scripts. */
import { createHash } from 'node:crypto'
import { type Channel, TIME_ZONES, WEEKDAYS } from '@carillon/contract'
import { type Html, html, Html as RawHtml } from '../../platform/text/html.ts'
import { type Checkbox, type FormView, formOf } from './form.ts'
import type { Frequency } from './form-digests.ts'
import { PAGE_STYLE } from './page-style.ts'

const CHANNEL_NAMES: Record<Channel, string> = {
  in_app: 'In the app',
  email: 'Email',
  sms: 'Text message',
  push: 'Push',
  chat: 'Chat',
  webhook: 'Webhook',
}

/** Allows only our own style, by its hash, and forms that post to us. */
export const PAGE_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(PAGE_STYLE).digest('base64')}'`,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

export interface PreferencesPage {
  view: FormView
  /** Whose preferences: the email address, else the id. */
  person: string
  /** Who sends the messages: the tenant, or 'we'. */
  sender: string
  notice: 'none' | 'saved' | 'invalid'
}

export function preferencesPage({ view, person, sender, notice }: PreferencesPage): string {
  return page(
    'Your notifications',
    html`<header>
  <h1>Your notifications</h1>
  <p class="whose">What ${sender} may send to <strong>${person}</strong>.</p>
</header>
${notice === 'saved' && html`<p class="saved" role="status">Saved. Your changes apply from now on.</p>`}
${notice === 'invalid' && html`<p class="wrong" role="alert">Nothing was saved. Enter times such as 22:00 and choose a time zone from the list.</p>`}
<form method="post">
  <input type="hidden" name="shown" value="${formOf(view).toString()}">
  <section aria-labelledby="what">
    <h2 id="what">What you get</h2>
    <table>
      <caption class="hidden">What you get, by channel</caption>
      <thead><tr><th scope="col"><span class="hidden">Category</span></th>${view.channels.map(columnHead)}</tr></thead>
      <tbody>
        ${view.categories.map(({ category, checkboxes }) => row(labelOf(category), view.channels, checkboxes, ''))}
        ${row('Everything', view.channels, view.channels, 'all')}
      </tbody>
    </table>
    <p class="hint">“Everything” switches a whole channel on or off, including urgent messages.</p>
  </section>
  ${view.frequencies.length > 0 && digestSection(view)}
  ${quietSection(view)}
  <div class="actions"><button type="submit">Save</button></div>
</form>`,
  )
}

export function unsubscribePage(what: string): string {
  return page(
    'Unsubscribe',
    html`<header><h1>Unsubscribe?</h1></header>
<p>You will no longer get ${what}.</p>
<form method="post">
  <input type="hidden" name="List-Unsubscribe" value="One-Click">
  <div class="actions"><button type="submit">Unsubscribe</button></div>
</form>`,
  )
}

export function unsubscribedPage(what: string, preferencesUrl: string): string {
  return page(
    'Unsubscribed',
    html`<header><h1>Unsubscribed</h1></header>
<p class="saved" role="status">You will no longer get ${what}.</p>
<p><a href="${preferencesUrl}">Undo this or change what else you get</a></p>`,
  )
}

export function brokenLinkPage(isExpired: boolean): string {
  return page(
    'This link does not work',
    html`<header><h1>${isExpired ? 'This link has expired' : 'This link does not work'}</h1></header>
<p>${
      isExpired
        ? 'Open your notification settings again from where you found the link.'
        : 'Part of it may be missing. Copy the whole address, or open the link again from where you found it.'
    }</p>`,
  )
}

/** What an unsubscribe link ends: messages about “Order news” by email, or all messages of a channel. */
export function describeOptOut(channel: Channel, category: string): string {
  const by = channel === 'email' ? 'email' : CHANNEL_NAMES[channel].toLowerCase()
  return category === '' ? `messages by ${by}` : `messages about “${labelOf(category)}” by ${by}`
}

function columnHead({ channel }: Checkbox): Html {
  return html`<th scope="col">${CHANNEL_NAMES[channel]}</th>`
}

function row(label: string, columns: Checkbox[], checkboxes: Checkbox[], kind: string): Html {
  const at = ({ channel }: Checkbox) => checkboxes.find(checkbox => checkbox.channel === channel)
  return html`<tr class="${kind}"><th scope="row">${label}</th>${columns.map(column => checkboxCell(label, at(column)))}</tr>
        `
}

function checkboxCell(label: string, checkbox: Checkbox | undefined): Html {
  if (checkbox === undefined) return html`<td class="none"><span aria-hidden="true">–</span></td>`
  const channel = CHANNEL_NAMES[checkbox.channel]
  return html`<td><label><input type="checkbox" name="${checkbox.name}"${checkbox.isWanted && new RawHtml(' checked')} aria-label="${label}: ${channel}"><span class="narrow" aria-hidden="true">${channel}</span></label></td>`
}

const FREQUENCY_NAMES: Record<Frequency, string> = {
  message: 'Right away',
  hour: 'Once an hour',
  day: 'Once a day',
  week: 'Once a week',
}

function digestSection({ frequencies, digestTime }: FormView): Html {
  const days = [...WEEKDAYS.slice(1), WEEKDAYS[0]]
  return html`<section aria-labelledby="often">
    <h2 id="often">How often</h2>
    ${frequencies.map(
      ({
        category,
        name,
        every,
      }) => html`<label class="frequency">${labelOf(category)} <select name="${name}">${Object.entries(FREQUENCY_NAMES).map(([value, label]) => option(label, value === every, value))}</select></label>
    `,
    )}<div class="hours">
      <label>Send daily and weekly digests at <input type="time" name="digest_at" value="${digestTime.at}" required></label>
      <label>Send weekly digests on <select name="digest_on">${days.map(day => option(labelOf(day), day === digestTime.on, day))}</select></label>
    </div>
    <p class="hint">A digest gathers several messages into one. Urgent messages and your inbox are never delayed.</p>
  </section>`
}

function quietSection({ quiet, timezone }: FormView): Html {
  const { start, end } = quiet ?? { start: '22:00', end: '08:00' }
  return html`<section aria-labelledby="when">
    <h2 id="when">Quiet hours</h2>
    <label class="switch"><input type="checkbox" name="quiet"${quiet !== null && new RawHtml(' checked')}> Hold messages back during these hours</label>
    <div class="hours">
      <label>From <input type="time" name="quiet_start" value="${start}" required></label>
      <label>Until <input type="time" name="quiet_end" value="${end}" required></label>
      <label class="zone">Time zone <select name="timezone">${zonesWith(timezone).map(zone => option(zone, zone === timezone))}</select></label>
    </div>
    <p class="hint">Urgent messages are sent at any hour. Messages in your inbox make no sound and are not held back.</p>
  </section>`
}

function option(label: string, isChosen: boolean, value = label): Html {
  return html`<option value="${value}"${isChosen && new RawHtml(' selected')}>${label}</option>`
}

function zonesWith(chosen: string): string[] {
  return [...new Set(['UTC', chosen, ...TIME_ZONES])].sort()
}

/** order_updates → Order updates */
function labelOf(category: string): string {
  const words = category.replace(/[._-]+/g, ' ').trim()
  return words === '' ? category : words[0]!.toUpperCase() + words.slice(1)
}

function page(title: string, body: Html): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${new RawHtml(PAGE_STYLE)}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`.text
}
