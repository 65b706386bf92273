/** What stands in place of rows: nothing yet, nothing at all, or why there is nothing. */
import { html, nothing, type TemplateResult } from 'lit'
import type { CarillonInbox } from './carillon-inbox.ts'
import { UNCONFIGURED } from './connection.ts'
import * as icons from './icons.ts'
import { canRefresh } from './shared-inbox.ts'

/** Undefined where rows are to be shown. */
export function renderInsteadOfRows(shell: CarillonInbox): TemplateResult | undefined {
  const { words, state } = shell
  const { connection, items, view, problemAt } = state
  if (shell.isUnconfigured) return notice(icons.key(), { title: '', text: UNCONFIGURED }, nothing)
  if (connection === 'signed-out')
    return notice(icons.key(), words.signedOut, canRefresh(shell) ? retry(shell) : nothing)
  if (problemAt !== undefined) return notice(icons.lens(), words.filterProblem, clear(shell))
  // The list has a skeleton of its own.
  if (items.length > 0 || connection === 'loading') return undefined
  if (connection === 'offline')
    return notice(icons.cloud(), shell.isUnreachable ? words.unreachable : words.offline, retry(shell))
  if (connection === 'failed') return notice(icons.warning(), words.failed, retry(shell))
  if (view.query !== '') return notice(icons.lens(), words.empty.filter, clear(shell))
  const icon = { inbox: icons.tray, saved: icons.bookmark, done: icons.checks }[view.tab]
  return notice(icon(), words.empty[view.tab], nothing)
}

/** Above rows that may be out of date. */
export function renderBanner(shell: CarillonInbox): TemplateResult {
  const { words, state } = shell
  const isStale = state.items.length > 0 && state.connection === 'offline'
  return html`<div class="banner" part="banner" role="status">
    ${isStale ? html`<p>${icons.cloud()}<span>${words.offlineNotice}</span>${retry(shell)}</p>` : nothing}
  </div>`
}

function notice(
  icon: TemplateResult,
  { title, text }: { title: string; text: string },
  button: TemplateResult | typeof nothing,
): TemplateResult {
  return html`<div class="notice" part="notice">${icon}${title === '' ? nothing : html`<h3>${title}</h3>`}<p>${text}</p>${button}</div>`
}

const retry = (shell: CarillonInbox): TemplateResult =>
  html`<button class="plain" part="control" type="button" @click=${() => tryAgain(shell)}>
    ${shell.words.retry}</button>`

/** What has ended for good begins anew; what was interrupted goes on. */
function tryAgain(shell: CarillonInbox): void {
  const { inbox, state } = shell
  const isOver = state.connection === 'signed-out' || state.connection === 'failed'
  // Without an inbox there is only the address to read again.
  if (inbox === undefined) shell.restart()
  else void shell.attempt(isOver ? inbox.start() : inbox.refresh())
}

const clear = (shell: CarillonInbox): TemplateResult =>
  html`<button class="plain" part="control" type="button" @click=${shell.panel!.filterBar.clear}>
    ${shell.words.clearFilter}</button>`
