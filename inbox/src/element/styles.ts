/** How the element looks. Parts that are loaded later bring their own. */
import { type CSSResult, unsafeCSS } from 'lit'
import bell from './bell.css?inline'
import shell from './carillon-inbox.css?inline'
import { tokens } from './tokens.ts'

export const styles: CSSResult[] = [tokens, unsafeCSS([shell, bell].join(''))]

export function addStyles(root: HTMLElement | DocumentFragment, text: string): void {
  ;(root as ShadowRoot).adoptedStyleSheets.push(unsafeCSS(text).styleSheet!)
}
