/** HTML documents for people: one shell for every page, and a policy that allows exactly what the page contains. */
import { createHash } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import { type Html, html, Html as RawHtml } from '../text/html.ts'

export interface Document {
  title: string
  locale: string
  direction: 'ltr' | 'rtl'
  /** The page's style, the same for everybody. */
  style: string
  /** What a tenant's brand adds to it; '' for nothing. */
  brandStyle?: string
  /** Where an image on the page comes from. */
  imageUrl?: string | null
  /** A module of ours that makes the page; such a page may ask its own server, and frame what that serves. */
  script?: string
  body: Html
}

export function sendDocument(reply: FastifyReply, document: Document): FastifyReply {
  return reply
    .header('content-security-policy', policyOf(document))
    .header('cache-control', 'no-store')
    .type('text/html; charset=utf-8')
    .send(renderDocument(document))
}

function renderDocument(document: Document): string {
  const { title, locale, direction, style, brandStyle = '', script, body } = document
  return html`<!doctype html>
<html lang="${locale}" dir="${direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${new RawHtml(style)}</style>
${brandStyle !== '' && html`<style>${new RawHtml(brandStyle)}</style>`}
${script !== undefined && html`<script type="module" src="${script}"></script>`}
</head>
<body>
${body}
</body>
</html>
`.text
}

/** No scripts but our own, styles only by their hash, one image at most from where the brand's logo is. */
function policyOf({ style, brandStyle = '', imageUrl, script }: Document): string {
  const styles = [style, brandStyle].filter(text => text !== '')
  return [
    "default-src 'none'",
    `style-src ${styles.map(text => `'sha256-${createHash('sha256').update(text).digest('base64')}'`).join(' ')}`,
    // The origin and not the address, in which a ; would begin another directive.
    ...(imageUrl && URL.canParse(imageUrl) ? [`img-src ${new URL(imageUrl).origin}`] : []),
    ...(script === undefined ? [] : SCRIPTED),
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

const SCRIPTED = ["script-src 'self'", "connect-src 'self'", "frame-src 'self'", "img-src 'self' data:"]
