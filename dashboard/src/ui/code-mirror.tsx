import { autocompletion, type CompletionSource, closeBrackets } from '@codemirror/autocomplete'
import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint'
import { EditorState } from '@codemirror/state'
import { keymap, placeholder as placeholderText } from '@codemirror/view'
import { basicSetup, EditorView, minimalSetup } from 'codemirror'
import { useEffect, useRef } from 'react'
import { type Language, shared, speak } from './code-setup.ts'

export interface CodeEditorProps {
  label: string
  language: Language
  value: string
  onChange?(value: string): void
  /** Ctrl-S and Ctrl-Enter. */
  onSubmit?(): void
  isReadOnly?: boolean
  placeholder?: string
  /** Mistakes to mark, by line (from 1). */
  mistakes?: { line: number; column?: number; message: string }[]
  completions?: CompletionSource
  /** One line without numbers, such as a subject. */
  isSingleLine?: boolean
  /** Such as h-96; without, it is as high as its text. */
  className?: string
}

/** A line break that is typed or pasted becomes a space. */
const oneLine = EditorState.transactionFilter.of(change => {
  if (!change.docChanged || change.newDoc.lines === 1) return change
  const text = change.newDoc.toString().replace(/\s*\n\s*/g, ' ')
  return {
    changes: { from: 0, to: change.startState.doc.length, insert: text },
    selection: { anchor: Math.min(change.newSelection.main.head, text.length) },
  }
})

/** In scripts they come in addition to what the language itself knows: keywords and the script's own names. */
const completing = (language: Language, source: CompletionSource) =>
  language === 'javascript'
    ? EditorState.languageData.of(() => [{ autocomplete: source }])
    : autocompletion({ override: [source] })

export default function CodeMirror(props: CodeEditorProps) {
  const {
    label,
    language,
    value,
    isReadOnly = false,
    isSingleLine = false,
    placeholder = '',
    mistakes,
    completions,
    className,
  } = props
  const place = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(null)
  // The editor lives longer than any one rendering and calls what the newest one gave.
  const latest = useRef(props)
  latest.current = props

  // biome-ignore lint/correctness/useExhaustiveDependencies: its text is kept in step below
  useEffect(() => {
    const submit = () => {
      latest.current.onSubmit?.()
      return latest.current.onSubmit !== undefined
    }
    const editor = new EditorView({
      parent: place.current!,
      state: EditorState.create({
        doc: value,
        extensions: [
          keymap.of([
            { key: 'Mod-s', run: submit },
            { key: 'Mod-Enter', run: submit },
          ]),
          isSingleLine ? [minimalSetup, closeBrackets(), oneLine] : [basicSetup, lintGutter()],
          shared(language),
          completions ? completing(language, completions) : [],
          placeholderText(placeholder),
          EditorState.readOnly.of(isReadOnly),
          // Said out loud, since not every reader knows that what can be edited can be focused.
          EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
          EditorView.updateListener.of(update => {
            if (update.docChanged) latest.current.onChange?.(update.state.doc.toString())
          }),
        ],
      }),
    })
    view.current = editor
    void speak(editor, language)
    return () => editor.destroy()
  }, [language, isReadOnly, isSingleLine, label])

  useEffect(() => {
    const editor = view.current
    if (editor === null || editor.state.doc.toString() === value) return
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } })
  }, [value])

  useEffect(() => {
    const editor = view.current
    if (editor === null) return
    const { doc } = editor.state
    const diagnostics: Diagnostic[] = (mistakes ?? []).map(({ line, column = 1, message }) => {
      const at = doc.line(Math.min(Math.max(line, 1), doc.lines))
      return { from: Math.min(at.from + column - 1, at.to), to: at.to, severity: 'error', message }
    })
    editor.dispatch(setDiagnostics(editor.state, diagnostics))
  }, [mistakes])

  return (
    <div
      ref={place}
      className={`min-w-0 overflow-auto rounded-control border border-control [&_.cm-editor]:h-full [&_.cm-editor]:min-h-full [&_.cm-gutters]:self-stretch [&_.cm-scroller]:grow ${className ?? ''}`}
    />
  )
}
