/** Notifications from the browser itself, which it shows even when the page is closed. */
import { html, nothing, type TemplateResult } from 'lit'
import type { PreferencesPanel } from './preferences-panel.ts'

/** Nothing where the browser cannot, or the product does not. */
export function renderPush(panel: PreferencesPanel): TemplateResult | typeof nothing {
  const { words, inbox, push } = panel
  if (push === undefined || push === 'unsupported' || push === 'unavailable') return nothing
  const turn = async () => {
    const turned = push === 'on' ? inbox.disablePush() : inbox.enablePush()
    panel.push = (await panel.attempt('push', turned)) ?? push
  }
  return html`<section aria-labelledby="push">
    <h3 id="push">${words.pushTitle}</h3>
    <p class="hint">${push === 'denied' ? words.pushBlocked : words.pushText}</p>
    ${
      push === 'denied'
        ? nothing
        : html`<div class="choices"><button type="button" @click=${turn}>
            ${push === 'on' ? words.pushDisable : words.pushEnable}</button></div>`
    }
    ${panel.renderProblem('push')}
  </section>`
}
