/** The text at the left, its test at the right. */
import type { ScriptTest } from '@carillon/contract'
import { useMemo, useState } from 'react'
import { CodeEditor } from '../../ui/code-editor.tsx'
import { scriptCompletions } from './completion-source.ts'
import { type Mistake, mistakesOf } from './script-words.ts'
import { TestPanel } from './test-panel.tsx'

interface ScriptEditorProps {
  source: string
  onChange(source: string): void
  onSave(): void
  /** Of the last attempt to save. */
  mistakes: Mistake[]
  run(event: Record<string, unknown>): Promise<ScriptTest>
  testRefusal: string | false
  isReadOnly?: boolean
}

export function ScriptEditor(props: ScriptEditorProps) {
  const { source, onChange, onSave, mistakes, run, testRefusal, isReadOnly = false } = props
  const [result, setResult] = useState<ScriptTest>()
  const marked = useMemo(() => [...mistakes, ...mistakesOf(result?.error ?? '')], [mistakes, result])
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_24rem]">
      <div className="flex min-w-0 flex-col gap-2">
        <CodeEditor
          label="Script"
          language="javascript"
          value={source}
          onChange={onChange}
          onSubmit={onSave}
          mistakes={marked}
          completions={scriptCompletions}
          isReadOnly={isReadOnly}
          className="h-[min(36rem,70vh)] bg-surface"
        />
        <p className="text-sm text-muted">
          Ctrl-S saves, Ctrl-Space completes. A script is an ES module; its default export is its result, and
          a function is called with the event.
        </p>
      </div>
      <TestPanel run={run} result={result} onResult={setResult} refusal={testRefusal} />
    </div>
  )
}
