/** What is typed into a form before it is saved. */
import { useState } from 'react'

export function useDraft<Draft extends object>(
  initial: Draft | (() => Draft),
): [draft: Draft, change: (changes: Partial<Draft>) => void, replace: (draft: Draft) => void] {
  const [draft, setDraft] = useState(initial)
  return [draft, changes => setDraft(before => ({ ...before, ...changes })), setDraft]
}
