/** The same as code, in one of three languages, with a button that copies it. */
import { html, type TemplateResult } from 'lit'
import { LANGUAGES, type Language } from './code.ts'

export interface CodePanel {
  language: Language
  /** '' while there is nothing to show. */
  code: string
  isCopied: boolean
  onChoose(language: Language): void
  onCopy(): void
}

const HINTS: Record<Language, string> = {
  curl: 'In a shell, in the folder where you ran npm start.',
  SDK: 'As a module in that folder: npm install @carillon/sdk.',
  SQL: 'In npx carillon psql, or in a transaction of your own: a rollback takes it back.',
}

export function codePanel(panel: CodePanel): TemplateResult {
  return html`<section id="Code" class="panel code" aria-labelledby="code-title">
    <h2 id="code-title">The same as code</h2>
    <div class="body">
      ${
        panel.code === ''
          ? html`<div class="empty">
              <p><strong>Nothing to copy yet.</strong></p>
              <p>What you send appears here for curl, the SDK and SQL, ready to run.</p>
            </div>`
          : listing(panel)
      }
    </div>
  </section>`
}

function listing({ language, code, isCopied, onChoose, onCopy }: CodePanel): TemplateResult {
  return html`<div class="bar">
      <div class="segments" role="group" aria-label="Language">
        ${LANGUAGES.map(
          name =>
            html`<button type="button" aria-pressed=${name === language} @click=${() => onChoose(name)}>
              ${name}
            </button>`,
        )}
      </div>
      <button type="button" class="quiet" @click=${onCopy}>${isCopied ? 'Copied' : 'Copy'}</button>
    </div>
    <pre tabindex="0" aria-label="Code"><code>${code}</code></pre>
    <p class="hint">${HINTS[language]}</p>`
}
