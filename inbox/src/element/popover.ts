/** Puts popovers where they belong, and keeps them there while the page scrolls or changes its size. */
import { place, type Wanted } from './place.ts'

export function placeBy(popover: HTMLElement, anchor: Element, wanted: Wanted): void {
  const { clientWidth: width, clientHeight: height } = document.documentElement
  // A page without a height of its own, such as an empty one, has the window's.
  const room = { width, height: Math.max(height, window.innerHeight) }
  const box = place(anchor.getBoundingClientRect(), wanted, room)
  for (const [name, value] of Object.entries(box)) popover.style.setProperty(name, `${value}px`)
}

/** Until the function that it gives back is called. */
export function keepPlaced(replace: () => void): () => void {
  const options = { capture: true, passive: true }
  window.addEventListener('scroll', replace, options)
  window.addEventListener('resize', replace, options)
  return () => {
    window.removeEventListener('scroll', replace, options)
    window.removeEventListener('resize', replace, options)
  }
}
