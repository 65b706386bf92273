import { unifiedMergeView } from '@codemirror/merge'
import { EditorState } from '@codemirror/state'
import { EditorView, lineNumbers } from '@codemirror/view'
import { useEffect, useRef } from 'react'
import { type Language, shared, speak } from './code-setup.ts'

export default function CodeDiff({
  before,
  after,
  language,
}: {
  before: string
  after: string
  language: Language
}) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const view = new EditorView({
      parent: place.current!,
      state: EditorState.create({
        doc: after,
        extensions: [
          lineNumbers(),
          shared(language),
          EditorState.readOnly.of(true),
          EditorView.contentAttributes.of({ 'aria-label': 'What changed', tabindex: '0' }),
          unifiedMergeView({ original: before, mergeControls: false, collapseUnchanged: { margin: 3 } }),
        ],
      }),
    })
    void speak(view, language)
    return () => view.destroy()
  }, [before, after, language])
  return <div ref={place} className="min-w-0 overflow-auto rounded-control border border-border" />
}
