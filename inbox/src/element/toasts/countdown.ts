/** Time that passes only while nobody is reading: a notice stays for as long as the pointer or the focus is on it. */
export class Countdown {
  #left: number
  #started = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  readonly #onEnd: () => void

  constructor(ms: number, onEnd: () => void) {
    this.#left = ms
    this.#onEnd = onEnd
    this.resume()
  }

  pause = (): void => {
    if (this.#timer === undefined) return
    this.cancel()
    this.#left -= Date.now() - this.#started
  }

  resume = (): void => {
    if (this.#timer !== undefined) return
    this.#started = Date.now()
    this.#timer = setTimeout(this.#onEnd, Math.max(this.#left, 0))
  }

  cancel(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }
}
