/** The bell: a button with the number of unread, and the popover that it opens. */
import { html, nothing, type ReactiveController, type TemplateResult } from 'lit'
import { sayCount } from '../locales/say.ts'
import type { CarillonInbox } from './carillon-inbox.ts'
import * as icons from './icons.ts'
import { keepPlaced, placeBy } from './popover.ts'

const SIZE = { width: 400, height: 560 }
const MOST = 99

export class Bell implements ReactiveController {
  readonly #shell: CarillonInbox
  /** What was shown once stays, with its scroll position; before that nobody needs it. */
  #wasOpened = false
  #unplace: (() => void) | undefined
  /** Between the two events of a popover that turns, which must not be turned again then. */
  #isTurning = false
  /** Whether the focus was inside when it began to close. */
  #hasFocus = false

  constructor(shell: CarillonInbox) {
    this.#shell = shell
    shell.addController(this)
  }

  close(): void {
    this.#shell.open = false
  }

  hostUpdated(): void {
    const panel = this.#panel
    if (this.#isTurning || panel === null || panel.matches(':popover-open') === this.#shell.open) return
    panel.togglePopover(this.#shell.open)
  }

  hostDisconnected(): void {
    this.#unplace?.()
  }

  render(): TemplateResult {
    const { words, language, state, open } = this.#shell
    this.#wasOpened ||= open
    const count = new Intl.NumberFormat(language.locale).format(Math.min(state.unread, MOST))
    const label = state.unread === 0 ? words.title : sayCount(language.locale, words.unread, state.unread)
    return html`<button class="bell" part="bell" type="button" popovertarget="panel" aria-haspopup="dialog"
        aria-expanded=${open} aria-label=${label} title=${label}>
        ${icons.bell()}
        ${
          state.unread === 0
            ? nothing
            : html`<span class="badge" part="badge" aria-hidden="true">${count}${state.unread > MOST ? '+' : ''}</span>`
        }
      </button>
      <div id="panel" class="panel" part="panel" popover role="dialog" aria-label=${words.title} tabindex="-1"
        @beforetoggle=${this.#turns} @toggle=${this.#turned}>
        ${this.#wasOpened ? this.#shell.panel?.render() : nothing}
      </div>`
  }

  get #panel(): HTMLElement | null {
    return this.#shell.renderRoot.querySelector('.panel[popover]')
  }

  /** Menus in the panel turn too, and their events come by here. */
  #turns = (event: ToggleEvent): void => {
    if (event.target !== this.#panel) return
    this.#isTurning = true
    this.#shell.open = event.newState === 'open'
    this.#hasFocus = this.#panel?.contains((this.#shell.renderRoot as ShadowRoot).activeElement) ?? false
    if (!this.#shell.open) return
    this.#place()
  }

  #turned = (event: ToggleEvent): void => {
    if (event.target !== this.#panel) return
    this.#isTurning = false
    this.hostUpdated()
    this.#unplace?.()
    this.#unplace = undefined
    if (event.newState !== 'open') {
      // Whoever clicked something else is there already.
      if (this.#hasFocus) this.#shell.renderRoot.querySelector<HTMLElement>('.bell')?.focus()
      return
    }
    this.#unplace = keepPlaced(() => this.#place())
    void this.#shell.attempt(this.#enter())
  }

  /** Rows that come later get the focus too, unless the person has moved on. */
  async #enter(): Promise<void> {
    const shell = this.#shell
    shell.focusPanel()
    await shell.parts.loadPanel()
    await shell.updateComplete
    if ((shell.renderRoot as ShadowRoot).activeElement === this.#panel) shell.focusPanel()
  }

  #place(): void {
    const { direction } = this.#shell.language
    const bell = this.#shell.renderRoot.querySelector('.bell')!
    placeBy(this.#panel!, bell, { ...SIZE, align: 'end', direction, gap: 8 })
  }
}
