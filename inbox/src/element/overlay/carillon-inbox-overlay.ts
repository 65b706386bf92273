/**
 * <carillon-inbox-overlay>: what appears over the rows when somebody asks for it, and is loaded only then. A menu has choices
 * that arrow keys walk through, or a form in their place; a dialog has all keys.
 */
import { html, LitElement, nothing, type SVGTemplateResult, type TemplateResult, unsafeCSS } from 'lit'
import { place } from '../place.ts'
import style from './overlay.css?inline'

export interface Choice {
  label: string
  /** What it comes to, such as the time that is meant. */
  hint?: string
  icon?: SVGTemplateResult
  /** Of choices that exclude each other: whether it is the one. */
  isChosen?: boolean
  run(): void
}

interface OpenMenu {
  /** What it appears beside. */
  opener: HTMLElement
  label: string
  content: Choice[] | TemplateResult
}

export class CarillonInboxOverlay extends LitElement {
  static override properties = { menu: { state: true }, dialog: { state: true } }
  static override styles = unsafeCSS(style)

  declare menu: OpenMenu | undefined
  declare dialog: TemplateResult | undefined

  /** Where the person was before the menu. */
  #origin: Element | null = null

  async openMenu(menu: OpenMenu): Promise<void> {
    this.close()
    this.#origin = (this.getRootNode() as ShadowRoot).activeElement
    this.menu = menu
    await this.updateComplete
    this.#box!.showPopover()
    this.placeAgain()
    const stops = this.#stops
    const first = stops.find(stop => stop.ariaChecked === 'true') ?? stops[0]
    first?.focus({ preventScroll: true })
  }

  async openDialog(dialog: TemplateResult): Promise<void> {
    this.dialog = dialog
    await this.updateComplete
    this.renderRoot.querySelector('dialog')?.showModal()
  }

  close(): void {
    if (this.menu !== undefined) this.#box?.hidePopover()
  }

  /** Keeps the menu beside what opened it, while rows move. */
  placeAgain(): void {
    const box = this.#box
    if (box === null || this.menu === undefined) return
    const direction = getComputedStyle(box).direction as 'ltr' | 'rtl'
    const size = { width: box.offsetWidth, height: box.offsetHeight }
    const room = { width: innerWidth, height: innerHeight }
    const anchor = this.menu.opener.getBoundingClientRect()
    const { left, top } = place(anchor, { ...size, align: 'end', direction, gap: 4 }, room)
    box.style.left = `${left}px`
    box.style.top = `${top}px`
  }

  protected override render(): TemplateResult {
    return html`${this.menu === undefined ? nothing : this.#menu(this.menu)} ${this.dialog ?? nothing}`
  }

  #menu({ label, content }: OpenMenu): TemplateResult {
    const choices = Array.isArray(content) ? content : undefined
    return html`<div
      class="menu"
      part="menu"
      popover="auto"
      role=${choices === undefined ? 'dialog' : 'menu'}
      aria-label=${label}
      @keydown=${this.#onKey}
      @beforetoggle=${this.#beforeToggle}
      @toggle=${this.#onToggle}
    >
      ${choices === undefined ? content : html`<p aria-hidden="true">${label}</p>${choices.map(choice => this.#item(choice))}`}
    </div>`
  }

  #item({ label, hint, icon, isChosen, run }: Choice): TemplateResult {
    const choose = () => {
      this.close()
      run()
    }
    return html`<button type="button" role=${isChosen === undefined ? 'menuitem' : 'menuitemradio'}
      aria-checked=${isChosen ?? nothing} part="menu-item" tabindex="-1" @click=${choose}>
      ${icon ?? nothing}<span>${label}</span>${hint === undefined ? nothing : html`<small>${hint}</small>`}
    </button>`
  }

  get #box(): HTMLElement | null {
    return this.renderRoot.querySelector<HTMLElement>('.menu')
  }

  get #stops(): HTMLElement[] {
    return [...this.renderRoot.querySelectorAll<HTMLElement>('.menu :is([role^=menuitem], input)')]
  }

  /** Keys in a menu are the menu’s. */
  readonly #onKey = (event: KeyboardEvent): void => {
    event.stopPropagation()
    if (!Array.isArray(this.menu?.content)) return
    const stops = this.#stops
    const at = stops.indexOf(event.target as HTMLElement)
    const last = stops.length - 1
    const targets = {
      ArrowDown: at === last ? 0 : at + 1,
      ArrowUp: at <= 0 ? last : at - 1,
      Home: 0,
      End: last,
    }
    if (event.key === 'Tab') this.close()
    if (!(event.key in targets)) return
    event.preventDefault()
    stops[targets[event.key as keyof typeof targets]]?.focus()
  }

  /** Browsers do this too, but not for a menu within another popover, such as that of the bell. */
  readonly #beforeToggle = (event: ToggleEvent): void => {
    const isLeft = event.newState === 'closed' && this.#box?.contains(this.shadowRoot!.activeElement)
    if (isLeft && this.#origin instanceof HTMLElement) this.#origin.focus({ preventScroll: true })
  }

  readonly #onToggle = (event: ToggleEvent): void => {
    // It may have been opened again since.
    if (event.newState === 'closed' && !this.#box?.matches(':popover-open')) this.menu = undefined
  }
}

if (customElements.get('carillon-inbox-overlay') === undefined)
  customElements.define('carillon-inbox-overlay', CarillonInboxOverlay)
