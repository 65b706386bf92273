/** What scrolls a list: an element around it, in whatever shadow tree that is, or the page. */

export interface View {
  /** Of what is visible, measured from the top of the list. */
  top: number
  bottom: number
}

export class Scroller {
  readonly #box: Element

  constructor(list: Element) {
    this.#box = scrollingAncestor(list) ?? document.scrollingElement ?? document.documentElement
  }

  /** Both are watched: what could scroll may have room for everything, so that the page scrolls it. */
  get sources(): EventTarget[] {
    return this.#isPage ? [document] : [document, this.#box]
  }

  view(content: Element): View {
    const start = content.getBoundingClientRect().top
    const [top, bottom] = this.#edges()
    return { top: Math.max(top, 0) - start, bottom: Math.min(bottom, innerHeight) - start }
  }

  /** At once, even if the page scrolls smoothly: readers must not notice. */
  by(distance: number): void {
    const box = this.#box.scrollHeight > this.#box.clientHeight ? this.#box : document.scrollingElement
    box?.scrollBy({ top: distance, behavior: 'instant' })
  }

  get #isPage(): boolean {
    return this.#box === document.scrollingElement
  }

  #edges(): [top: number, bottom: number] {
    if (this.#isPage) return [0, innerHeight]
    const { top } = this.#box.getBoundingClientRect()
    return [top + this.#box.clientTop, top + this.#box.clientTop + this.#box.clientHeight]
  }
}

function scrollingAncestor(list: Element): Element | undefined {
  for (let node = parentOf(list); node !== null; node = parentOf(node))
    if (node instanceof Element && /auto|scroll/.test(getComputedStyle(node).overflowY)) return node
  return undefined
}

/** As it is laid out: through slots, and out of shadow trees. */
function parentOf(node: Node): Node | null {
  if (node instanceof Element && node.assignedSlot !== null) return node.assignedSlot
  return node instanceof ShadowRoot ? node.host : node.parentNode
}
