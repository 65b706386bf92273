/** The page at /: what runs here, whether it works, and what to do next. In English, as it is for operators. */
import type { Role } from '../../platform/config/settings.ts'
import type { Document } from '../../platform/pages/document.ts'
import { loadStyle } from '../../platform/pages/stylesheet.ts'
import { type Html, html } from '../../platform/text/html.ts'
import type { Situation } from './facts.ts'

const STYLE = loadStyle('landing-page')

export interface LandingPage {
  version: string
  /** The address of this Carillon, for commands to paste. */
  url: string
  situation: Situation
  roles: Role[]
  isPrivate: boolean
  hasPlayground: boolean
}

const LINKS = [
  { path: 'dashboard/', about: 'what happened, why, and what to do about it' },
  { path: 'docs/', about: 'the API reference' },
  { path: 'openapi.json', about: 'the same, machine-readable' },
  { path: 'healthz', about: 'whether the process is alive' },
  { path: 'readyz', about: 'whether it is ready to work' },
  { path: 'metrics', about: 'metrics for Prometheus' },
]

const FIRST_INTENT = `{
  "notification_type": "welcome",
  "audience": {
    "kind": "addresses", "channel": "email",
    "addresses": ["ada@example.com"]
  },
  "payload": {"title": "Hello Ada", "body": "Your first notification."}
}`

export function landingPage(page: LandingPage): Document {
  return {
    title: 'Carillon',
    locale: 'en',
    direction: 'ltr',
    style: STYLE,
    body: html`<main>
<header>
  <h1>Carillon <span class="muted">${page.version}</span></h1>
  <p>The notification system you host yourself. Your application says that something happened and who should know;
  Carillon delivers it and can explain every decision.</p>
</header>
${situationList(page)}
${nextSteps(page)}
<section aria-labelledby="more">
  <h2 id="more">Read on</h2>
  <ul class="links">
    ${LINKS.map(
      ({ path, about }) => html`<li><a href="${path}">/${path}</a> <span class="muted">${about}</span></li>
    `,
    )}</ul>
</section>
</main>`,
  }
}

function situationList({ situation, roles, isPrivate }: LandingPage): Html {
  const { readiness, standing, hasProvider, note } = situation
  const isReady = readiness === 'ready'
  return html`<dl>
  <dt>State</dt>
  <dd>${isReady ? html`<span class="state ok">Ready</span>` : html`<span class="state bad">Not ready: ${readiness}</span>`}</dd>
  ${note !== undefined && html`<dt>Note</dt><dd><span class="state bad">${note}</span></dd>`}
  ${standing !== undefined && html`<dt>Database</dt><dd>${STANDINGS[standing]}</dd>`}
  ${!isPrivate && html`<dt>Roles</dt><dd>${roles.join(', ')}</dd>`}
  ${
    !isPrivate &&
    standing !== undefined &&
    html`<dt>Messages</dt><dd>${
      hasProvider
        ? 'Sent through providers; captured on channels that have none.'
        : 'Captured: no provider is set up, so no message leaves this machine.'
    }</dd>`
  }
</dl>`
}

const STANDINGS: Record<NonNullable<Situation['standing']>, string> = {
  current: 'The schema matches this version.',
  older: 'The schema is older than this version. Run “carillon migrate up”, or start this process again.',
  newer: 'A newer version has migrated the schema. This one works with it; upgrade when you can.',
  too_new:
    'A newer version has migrated the schema, and this one does not work with it. Upgrade this process.',
}

function nextSteps({ url, hasPlayground }: LandingPage): Html {
  const authorization = '-H "Authorization: Bearer $KEY"'
  return html`<section aria-labelledby="next">
  <h2 id="next">What to do next</h2>
  <ol>
    ${hasPlayground && PLAYGROUND}
    <li>Get a key. The first one is in the data folder, on the machine where Carillon was started;
      <code>npx carillon api-keys create shop</code> creates another.
      ${command('KEY=$(cat data/api-key)')}</li>
    <li>Send a notification.
      ${command(`curl -sS ${url}/v1/intents \\
  ${authorization} \\
  -H "Content-Type: application/json" \\
  -d '${FIRST_INTENT}'`)}</li>
    <li>Look at what was captured instead of sent. With the <code>notification_id</code> from the answer,
      <code>npx carillon explain</code> shows how it came about.
      ${command(`curl -sS ${url}/v1/captured-messages \\
  ${authorization}`)}</li>
  </ol>
</section>`
}

/** Its link is for the operator, so the page only says how to get one. */
const PLAYGROUND = html`<li>Try it out in the <a href="playground">playground</a>: two people, what they get, and why.
      On the machine where Carillon was started, this prints a link that opens it for a day.
      ${command('npx carillon playground')}</li>`

/** One click selects all of it. */
function command(text: string): Html {
  return html`<pre tabindex="0"><code>${text}</code></pre>`
}
