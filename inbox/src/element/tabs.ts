/** Inbox, saved, done, and the filters that a person keeps as tabs of their own. */
import { html, type TemplateResult } from 'lit'
import type { Tab, View } from '../client/state.ts'
import type { CarillonInbox } from './carillon-inbox.ts'

interface Choice {
  label: string
  view: View
}

const TABS: readonly Tab[] = ['inbox', 'saved', 'done']

export function renderTabs(shell: CarillonInbox): TemplateResult {
  const choices = choicesOf(shell)
  const chosen = chosenOf(choices, shell.state.view)
  return html`<div class="tabs" part="tabs" role="tablist" aria-label=${shell.words.title}
    @keydown=${(event: KeyboardEvent) => move(event, shell, choices, chosen)}>
    ${choices.map(
      (
        { label, view },
        index,
      ) => html`<button id="tab-${index}" part="tab ${index === chosen ? 'tab-selected' : ''}"
        type="button" role="tab" aria-selected=${index === chosen} aria-controls="rows"
        tabindex=${index === chosen ? 0 : -1} @click=${() => shell.show(view)}><bdi>${label}</bdi></button>`,
    )}
  </div>`
}

export const chosenTab = (shell: CarillonInbox): string =>
  `tab-${chosenOf(choicesOf(shell), shell.state.view)}`

function choicesOf({ words, savedFilters }: CarillonInbox): Choice[] {
  return [
    ...TABS.map(tab => ({ label: words.tabs[tab], view: { tab, query: '' } })),
    ...savedFilters.map(({ name, query }) => ({ label: name, view: { tab: 'inbox' as const, query } })),
  ]
}

/** A filter that is typed into a tab leaves the tab chosen. */
function chosenOf(choices: readonly Choice[], { tab, query }: View): number {
  const own = choices.findIndex(({ view }) => view.query !== '' && view.query === query && view.tab === tab)
  return own >= 0 ? own : choices.findIndex(({ view }) => view.tab === tab)
}

function move(event: KeyboardEvent, shell: CarillonInbox, choices: readonly Choice[], chosen: number): void {
  const forward = shell.language.direction === 'rtl' ? 'ArrowLeft' : 'ArrowRight'
  const backward = shell.language.direction === 'rtl' ? 'ArrowRight' : 'ArrowLeft'
  const to = {
    [forward]: (chosen + 1) % choices.length,
    [backward]: (chosen + choices.length - 1) % choices.length,
    Home: 0,
    End: choices.length - 1,
  }[event.key]
  if (to === undefined) return
  event.preventDefault()
  void shell.show(choices[to]!.view)
  const tab = shell.renderRoot.querySelector<HTMLElement>(`#tab-${to}`)
  tab?.focus()
}
