/** The page at /playground. All it shows comes from its script; without one, or without a link, it says what to do. */
import type { Document } from '../../platform/pages/document.ts'
import { loadStyle } from '../../platform/pages/stylesheet.ts'
import { html } from '../../platform/text/html.ts'

const STYLE = loadStyle('playground')

export function playgroundPage(): Document {
  return {
    title: 'Carillon playground',
    locale: 'en',
    direction: 'ltr',
    style: STYLE,
    script: 'inbox/playground.js',
    body: html`<carillon-playground>
<p class="loading">Opening the playground …</p>
</carillon-playground>
<noscript><p class="loading">The playground needs JavaScript. <a href="./">What runs here</a> does not.</p></noscript>`,
  }
}

/**
 * For a captured mail in a frame. It gets an origin of its own and may neither run anything nor load anything, whatever its
 * template and its payload made of it.
 */
export const MAIL_POLICY = [
  'sandbox',
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  'img-src data:',
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'self'",
].join('; ')
