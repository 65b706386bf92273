/** The top of the panel: what it is, what can be done with all of it, and the way out of a sheet. */
import { html, type TemplateResult } from 'lit'
import type { CarillonInbox } from './carillon-inbox.ts'
import { renderClose } from './close-button.ts'
import * as icons from './icons.ts'

export function renderHeader(shell: CarillonInbox): TemplateResult {
  const { words, state } = shell
  return html`<header part="header">
    <h2 part="panel-title">${words.title}</h2>
    <button class="icon" part="control" type="button" aria-label=${words.readAll} title=${words.readAll}
      ?disabled=${state.unread === 0} @click=${() => shell.attempt(shell.inbox!.readAll())}>${icons.checks()}</button>
    <button class="icon" part="control" type="button" aria-haspopup="menu" aria-label=${words.groupBy}
      title=${words.groupBy} @click=${(event: Event) => openGroups(shell, event)}>${icons.layers()}</button>
    <button class="icon" part="control" type="button" id="settings" aria-label=${words.settings} title=${words.settings}
      @click=${() => openSettings(shell)}>${icons.gear()}</button>
    ${renderClose(shell)}
  </header>`
}

/** Both are loaded when somebody wants to see them. */
function openGroups(shell: CarillonInbox, { currentTarget }: Event): void {
  const loaded = import('./group-menu.ts')
  void shell.attempt(loaded.then(({ openGroupMenu }) => openGroupMenu(shell, currentTarget as HTMLElement)))
}

function openSettings(shell: CarillonInbox): void {
  void shell.attempt(import('./settings.ts').then(({ openSettings }) => openSettings(shell)))
}
