/** Loads what belongs to the element when there is something for it to do. */
import type { ReactiveController } from 'lit'
import type { CarillonInbox } from './carillon-inbox.ts'
import type { Toasts } from './toasts/toasts.ts'

/** By then the page has what it needs itself. */
const PANEL_AFTER_MS = 2_000

export class Parts implements ReactiveController {
  readonly #shell: CarillonInbox
  #mode: CarillonInbox['mode'] | undefined

  constructor(shell: CarillonInbox) {
    this.#shell = shell
    shell.addController(this)
  }

  hostUpdate(): void {
    const { mode, sound, faviconBadge, attention, state, toasts } = this.#shell
    if ((sound || faviconBadge) && attention === undefined) void this.#shell.attempt(this.#drawAttention())
    if (state.undoable !== undefined && mode !== 'toast' && toasts === undefined) void this.notify()
  }

  hostUpdated(): void {
    const { mode, open } = this.#shell
    if (mode === this.#mode) return
    this.#mode = mode
    if (mode === 'page' || open) void this.#shell.attempt(this.loadPanel())
    // Before anybody asks for it, and before a new version of the server no longer has it.
    else if (mode === 'bell') setTimeout(() => this.#shell.attempt(this.loadPanel()), PANEL_AFTER_MS)
  }

  async loadPanel(): Promise<void> {
    if (this.#shell.panel !== undefined) return
    const { Panel } = await import('./panel.ts')
    this.#shell.panel ??= new Panel(this.#shell)
  }

  /** A notice that cannot be loaded is lost: nothing else depends on it. */
  async notify(tell?: (toasts: Toasts) => void): Promise<void> {
    const shell = this.#shell
    try {
      const { Toasts } = await import('./toasts/toasts.ts')
      shell.toasts ??= new Toasts(shell)
    } catch (error) {
      shell.tell('carillon-error', { error })
      return
    }
    // What is read aloud has to be there before it changes.
    await shell.updateComplete
    tell?.(shell.toasts)
  }

  async #drawAttention(): Promise<void> {
    const { Attention } = await import('./attention.ts')
    this.#shell.attention ??= new Attention(this.#shell)
    this.#shell.requestUpdate()
  }
}
