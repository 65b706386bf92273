/** An editor for templates, scripts and JSON. It is large, so it is loaded where somebody edits. */
import { lazy, Suspense } from 'react'
import type { CodeEditorProps } from './code-mirror.tsx'
import { Skeleton } from './skeleton.tsx'

const CodeMirror = lazy(() => import('./code-mirror.tsx'))

export function CodeEditor(props: CodeEditorProps) {
  return (
    <Suspense fallback={<Skeleton className="h-40 w-full" />}>
      <CodeMirror {...props} />
    </Suspense>
  )
}

const Comparison = lazy(() => import('./code-diff.tsx'))

/** Two versions beside each other. */
export function CodeDiff(props: { before: string; after: string; language: CodeEditorProps['language'] }) {
  return (
    <Suspense fallback={<Skeleton className="h-40 w-full" />}>
      <Comparison {...props} />
    </Suspense>
  )
}
