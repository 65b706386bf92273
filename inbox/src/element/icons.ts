/** Pictures in the size and colour of their text. What they mean is said by the label of their button. */
import { type SVGTemplateResult, svg } from 'lit'

export const icon = (paths: unknown, size = 16): SVGTemplateResult =>
  svg`<svg width=${size} height=${size} viewBox="0 0 16 16" fill="none" stroke="currentColor" stroke-width="1.5"
    stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${paths}</svg>`

export const BELL: SVGTemplateResult = svg`<path d="M8 1.75a4 4 0 0 0-4 4c0 3-.9 4.2-1.6 5a.75.75 0 0 0 .57 1.25h10.06a.75.75 0 0 0 .57-1.25c-.7-.8-1.6-2-1.6-5a4 4 0 0 0-4-4ZM6.5 14.25h3"/>`
export const BOOKMARK: SVGTemplateResult = svg`<path d="M4 2.25h8v11.5L8 10.5l-4 3.25Z"/>`

/** Without a picture, and as wide as one. */
export const none = (): SVGTemplateResult => icon('')
export const bell = (): SVGTemplateResult => icon(BELL, 20)
export const checks = (): SVGTemplateResult => icon(svg`<path d="m1.5 8.5 3 3 6-7M8.5 11.5l6-7"/>`)
export const layers = (): SVGTemplateResult =>
  icon(svg`<path d="M2 3.5h12M5 8h9M5 12.5h9M2 8h.01M2 12.5h.01"/>`)
export const gear = (): SVGTemplateResult =>
  icon(
    svg`<path d="M2 4.5h6.5M12.5 4.5H14M2 11.5h1.5M7.5 11.5H14"/><circle cx="10.5" cy="4.5" r="1.75"/><circle cx="5.5" cy="11.5" r="1.75"/>`,
  )
export const cross = (): SVGTemplateResult => icon(svg`<path d="m4 4 8 8M12 4l-8 8"/>`)
export const lens = (): SVGTemplateResult =>
  icon(svg`<circle cx="7" cy="7" r="4.5"/><path d="m10.5 10.5 3.5 3.5"/>`)
export const tick = (): SVGTemplateResult => icon(svg`<path d="m3 8.5 3.5 3.5 6.5-8"/>`)
export const arrow = (): SVGTemplateResult => icon(svg`<path d="M13.5 8h-11M7 3.5 2.5 8 7 12.5"/>`)
export const cloud = (): SVGTemplateResult =>
  icon(svg`<path d="M4.5 12.5h7a3 3 0 0 0 .6-5.94 4.25 4.25 0 0 0-8.2.94 2.5 2.5 0 0 0 .6 5ZM2 2l12 12"/>`)
export const tray = (): SVGTemplateResult =>
  icon(
    svg`<path d="M1.75 9h3.5l1 2h3.5l1-2h3.5M3.5 3h9l1.75 6v3.25a.75.75 0 0 1-.75.75h-11a.75.75 0 0 1-.75-.75V9Z"/>`,
  )
export const bookmark = (): SVGTemplateResult => icon(BOOKMARK)
/** Of what is kept already. */
export const bookmarked = (): SVGTemplateResult => icon(svg`<g fill="currentColor">${BOOKMARK}</g>`)
export const warning = (): SVGTemplateResult => icon(svg`<path d="M8 2 1.5 13.5h13ZM8 6.5v3M8 11.5h.01"/>`)
export const key = (): SVGTemplateResult =>
  icon(svg`<circle cx="5" cy="11" r="2.75"/><path d="m7 9 6.5-6.5M11 5l2 2"/>`)
