/** What all editors share: languages, colours from the tokens, and leave to write styles under the page's policy. */
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { Compartment, type Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'

export type Language = 'liquid-html' | 'liquid' | 'json' | 'javascript' | 'text'

/** Each is loaded with the first text in it; until then the text is there, without its colours. */
const LANGUAGES: Record<Language, () => Promise<Extension>> = {
  async 'liquid-html'() {
    const [{ liquid }, { html }] = await Promise.all([
      import('@codemirror/lang-liquid'),
      import('@codemirror/lang-html'),
    ])
    return liquid({ base: html() })
  },
  liquid: async () => (await import('@codemirror/lang-liquid')).liquid(),
  json: async () => (await import('@codemirror/lang-json')).json(),
  javascript: async () => (await import('@codemirror/lang-javascript')).javascript({ typescript: true }),
  text: async () => [],
}

const languagePlace = new Compartment()

export async function speak(view: EditorView, language: Language): Promise<void> {
  view.dispatch({ effects: languagePlace.reconfigure(await LANGUAGES[language]()) })
}

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.tagName, tags.operatorKeyword], color: 'var(--accent)' },
  { tag: [tags.string, tags.attributeValue], color: 'var(--ok)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--warn)' },
  { tag: tags.attributeName, color: 'var(--text)' },
  { tag: [tags.comment, tags.meta], color: 'var(--muted)', fontStyle: 'italic' },
  { tag: tags.invalid, color: 'var(--bad)' },
])

const names = [tags.propertyName, tags.variableName, tags.function(tags.variableName)]
const plain = HighlightStyle.define([{ tag: names, color: 'var(--text)' }])
/** In a template, what is filled in stands out from the text around it. */
const placeholders = HighlightStyle.define([{ tag: names, color: 'var(--warn)' }])

const look = EditorView.theme({
  '&': { backgroundColor: 'var(--surface)', color: 'var(--text)', fontSize: '0.78125rem' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-1px' },
  // As high as its frame, if that is higher than the text.
  '.cm-scroller': { flexGrow: '1', fontFamily: 'var(--font-code)', lineHeight: '1.5' },
  '.cm-gutters': {
    alignSelf: 'stretch',
    height: 'auto !important',
    backgroundColor: 'var(--bg)',
    color: 'var(--muted)',
    borderRight: '1px solid var(--border)',
  },
  '.cm-activeLine, .cm-activeLineGutter': {
    backgroundColor: 'color-mix(in oklch, var(--text) 4%, transparent)',
  },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-selectionBackground, &.cm-focused .cm-selectionBackground': {
    backgroundColor: 'color-mix(in oklch, var(--accent) 22%, transparent) !important',
  },
  '&.cm-merge-b .cm-changedLine, .cm-changedLine, .cm-insertedLine': { backgroundColor: 'var(--ok-soft)' },
  '&.cm-merge-b .cm-changedText, .cm-changedText, .cm-insertedLine .cm-changedText': {
    // A line below and not a darker ground, on which coloured words could not be read.
    background: 'none',
    boxShadow: 'inset 0 -2px color-mix(in oklch, var(--ok) 45%, transparent)',
  },
  '.cm-deletedChunk': { backgroundColor: 'var(--bad-soft)' },
  '.cm-deletedChunk .cm-deletedText': {
    background: 'none',
    boxShadow: 'inset 0 -2px color-mix(in oklch, var(--bad) 45%, transparent)',
  },
  '.cm-changeGutter': { width: '3px' },
  '.cm-changedLineGutter': { background: 'var(--ok)' },
  '.cm-deletedLineGutter': { background: 'var(--bad)' },
  '.cm-collapsedLines': {
    background: 'var(--bg)',
    color: 'var(--muted)',
    borderBlock: '1px solid var(--border)',
  },
  '.cm-tooltip, .cm-panels': {
    backgroundColor: 'var(--raised)',
    color: 'var(--text)',
    border: '1px solid var(--border)',
  },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'color-mix(in oklch, var(--accent) 14%, transparent)',
    color: 'var(--text)',
  },
  '.cm-completionDetail': { color: 'var(--muted)', fontStyle: 'normal' },
})

/**
 * Over selected words that have colours, a browser would keep their look with a style of its own, which the page's policy
 * refuses, loudly. So the text comes from here, asking first whoever completes brackets, as the editor does.
 */
const typeOver = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { data, inputType, isComposing } = event
    const { from, to, empty } = view.state.selection.main
    if (inputType !== 'insertText' || data === null || isComposing || empty || view.state.readOnly)
      return false
    const insert = () =>
      view.state.update(view.state.replaceSelection(data), { userEvent: 'input.type', scrollIntoView: true })
    const handlers = view.state.facet(EditorView.inputHandler)
    if (!handlers.some(handle => handle(view, from, to, data, insert))) view.dispatch(insert())
    event.preventDefault()
    return true
  },
})

const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? ''

export const shared = (language: Language): Extension => [
  EditorView.cspNonce.of(nonce),
  languagePlace.of([]),
  typeOver,
  look,
  syntaxHighlighting(colours),
  syntaxHighlighting(language.startsWith('liquid') ? placeholders : plain),
  EditorView.lineWrapping,
]
