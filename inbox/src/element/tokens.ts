/** The tokens of all surfaces, for an element: its theme may be fixed, whatever the visitor's system prefers. */
import { type CSSResult, unsafeCSS } from 'lit'
import source from '../../styles/tokens.css?inline'

/** Pages set the size of their root for their own arithmetic, so what is relative to it there is fixed here. */
const fixed = source.replace(/([\d.]+)rem/g, (_, rem: string) => `${Number(rem) * 16}px`)
const [light = '', dark = ''] = [...fixed.matchAll(/:root\s*{([^}]*)}/g)].map(match => match[1])

export const tokens: CSSResult = unsafeCSS(
  `:host{${light}}@media (prefers-color-scheme:dark){:host(:not([theme=light])){${dark}}}` +
    `:host([theme=dark]){${dark};color-scheme:dark}:host([theme=light]){color-scheme:light}`,
)
