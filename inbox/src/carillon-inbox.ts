/** Defines <carillon-inbox>. */
import { CarillonInbox } from './element/carillon-inbox.ts'

export { CarillonInbox }

if (customElements.get('carillon-inbox') === undefined) customElements.define('carillon-inbox', CarillonInbox)

declare global {
  interface HTMLElementTagNameMap {
    'carillon-inbox': CarillonInbox
  }
}
