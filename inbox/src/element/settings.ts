/** The person's settings in place of the rows; loaded when somebody opens them. */
import { html, type TemplateResult } from 'lit'
import type { CarillonInbox } from './carillon-inbox.ts'
import { renderClose } from './close-button.ts'
import * as icons from './icons.ts'
import './preferences/preferences-panel.ts'

export function openSettings(shell: CarillonInbox): Promise<void> {
  return turn(shell, () => renderSettings(shell), '#back')
}

function renderSettings(shell: CarillonInbox): TemplateResult {
  const { words } = shell
  return html`<header part="header">
      <button class="icon back" part="control" type="button" id="back" aria-label=${words.back} title=${words.back}
        @click=${() => turn(shell, undefined, '#settings')}>${icons.arrow()}</button>
      <h2 part="panel-title">${words.settings}</h2>
      ${renderClose(shell)}
    </header>
    <div class="rows" part="settings">
      <carillon-inbox-preferences .inbox=${shell.inbox} .language=${shell.language}></carillon-inbox-preferences>
    </div>
    ${shell.toasts?.render()}`
}

async function turn(
  shell: CarillonInbox,
  render: (() => TemplateResult) | undefined,
  focus: string,
): Promise<void> {
  shell.renderSettings = render
  await shell.updateComplete
  shell.renderRoot.querySelector<HTMLElement>(focus)?.focus()
}
