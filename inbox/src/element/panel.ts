/**
 * What the popover and the page have in common: header, tabs, filter, rows, and the person's settings. A part of its own,
 * which pages with a bell do not wait for.
 */
import { html, type TemplateResult } from 'lit'
import type { CarillonInbox } from './carillon-inbox.ts'
import filterBarStyle from './filter/filter-bar.css?inline'
import { FilterBar } from './filter/filter-bar.ts'
import { renderHeader } from './header.ts'
import style from './panel.css?inline'
import statesStyle from './states.css?inline'
import { renderBanner, renderInsteadOfRows } from './states.ts'
import { addStyles } from './styles.ts'
import { chosenTab, renderTabs } from './tabs.ts'
import './list/carillon-inbox-list.ts'

/** Parts of the list that pages can style. */
const LIST_PARTS =
  'row, unread, avatar, title, message, meta, topic, reason, time, actions, action, button, answered, heading, ' +
  'bulk-bar, menu, menu-item, shortcuts, skeleton'

export class Panel {
  readonly #shell: CarillonInbox
  readonly filterBar: FilterBar

  constructor(shell: CarillonInbox) {
    this.#shell = shell
    this.filterBar = new FilterBar(shell)
    addStyles(shell.renderRoot, style + filterBarStyle + statesStyle)
  }

  render(): TemplateResult {
    const shell = this.#shell
    if (shell.isUnconfigured) return renderInsteadOfRows(shell)!
    if (shell.renderSettings !== undefined) return shell.renderSettings()
    const isBusy = shell.state.connection === 'loading'
    const instead = renderInsteadOfRows(shell)
    return html`${renderHeader(shell)} ${renderTabs(shell)} ${this.filterBar.render()} ${renderBanner(shell)}
      <div class="rows" part="rows" id="rows" role="tabpanel" aria-labelledby=${chosenTab(shell)} aria-busy=${isBusy}
        tabindex=${shell.state.items.length > 0 && instead === undefined ? -1 : 0}>
        ${instead ?? this.#renderList()}
      </div>
      ${shell.toasts?.render()}`
  }

  #renderList(): TemplateResult {
    const { inbox, state, language, group, profileOf } = this.#shell
    return html`<carillon-inbox-list exportparts=${LIST_PARTS} .inbox=${inbox} .state=${state}
      .language=${language} .group=${group || 'none'} .profileOf=${profileOf}>
    </carillon-inbox-list>`
  }
}
