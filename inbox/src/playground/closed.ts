/** What the page says instead of itself: without a link, with one that is over, or when the server does not answer. */
import { html, type TemplateResult } from 'lit'

export type Closed = 'no-link' | 'ended' | 'failed'

const WORDS: Record<Closed, { title: string; text: string }> = {
  'no-link': {
    title: 'This page needs a link',
    text: 'The playground sends and shows messages, so only whoever runs Carillon gets in. On the machine where it was started, this prints a link that opens it for a day:',
  },
  ended: {
    title: 'This link does not work any more',
    text: 'Links open the playground for a day, on the server that printed them. On the machine where Carillon was started, this prints another:',
  },
  failed: { title: 'The playground cannot be opened', text: '' },
}

export function closedPage(why: Closed, problem: string, onRetry: () => void): TemplateResult {
  const { title, text } = WORDS[why]
  return html`<main class="closed">
    <h1>${title}</h1>
    ${
      why === 'failed'
        ? html`<p role="alert">${problem}</p>
            <button type="button" class="primary" @click=${onRetry}>Try again</button>`
        : html`<p>${text}</p>
            <pre tabindex="0"><code>npx carillon playground</code></pre>
            <p class="hint">For a tenant other than the first: <code>npx carillon playground --tenant acme</code></p>`
    }
    <p class="hint"><a href="./">What runs here</a></p>
  </main>`
}
