/** The document of the dashboard, and what it may do. */
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'

export const FOLDER = new URL('./', import.meta.resolve('@carillon/dashboard/index.html'))

const read = (name: string) => readFileSync(new URL(name, FOLDER), 'utf8')
const DOCUMENT = read('index.html')
export const MAIL_FRAME = read('mail-frame.html')

export interface DashboardDocument {
  html: string
  policy: string
}

/**
 * Scripts and styles are its own files. Editors and dialogs write styles while they are open; a nonce, another one for each
 * document, lets them and nobody else.
 */
export function dashboardDocument(): DashboardDocument {
  const nonce = randomBytes(16).toString('base64')
  return {
    html: DOCUMENT.replace('<head>', `<head>\n<meta property="csp-nonce" nonce="${nonce}">`),
    policy: [
      "default-src 'none'",
      "script-src 'self'",
      `style-src 'self' 'nonce-${nonce}'`,
      "img-src 'self' data:",
      "connect-src 'self'",
      "frame-src 'self'",
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
  }
}

/** For the frame that shows mails: an origin of its own, styles of the mail's, pictures only as its own data. */
export const MAIL_FRAME_POLICY = [
  'sandbox allow-scripts allow-popups',
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'",
  'img-src data:',
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'self'",
].join('; ')
