/** Rows that have not come yet, in the shape of those that will. They are still, since nothing has happened. */
import { html, type TemplateResult } from 'lit'

export function skeleton(count: number): TemplateResult {
  return html`<div aria-hidden="true" part="skeleton">
    ${Array.from(
      { length: count },
      () => html`<div class="row bones">
        <span class="pick"></span><span class="faces"><i></i></span>
        <div class="body"><b></b><b></b><b></b></div>
      </div>`,
    )}
  </div>`
}
