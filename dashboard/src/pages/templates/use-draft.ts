/** The text as it is being written, until it is saved. */
import type { FieldError, Template } from '@carillon/contract'
import { CarillonError } from '@carillon/sdk'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, wordsOf } from '../../app/api.ts'
import { toast } from '../../ui/toasts.tsx'
import { type Content, contentOf, isSame, toInput } from './content.ts'

export interface Draft {
  content: Content
  change(changes: Partial<Content>): void
  isChanged: boolean
  isSaving: boolean
  /** Whether it is saved now. What is wrong is marked in the text. */
  save(): Promise<boolean>
  revert(): void
  /** Of the last try to save; until the text changes. */
  errors: FieldError[]
}

export function useDraft(template: Template): Draft {
  const { name, channel, locale } = template
  const queryClient = useQueryClient()
  const [saved, setSaved] = useState(() => contentOf(template))
  const [content, setContent] = useState(saved)
  /** What was stored when the writing began, or when its writer last heard of a change. */
  const [known, setKnown] = useState(saved)
  const [errors, setErrors] = useState<FieldError[]>([])
  const [isSaving, setSaving] = useState(false)
  const stored = contentOf(template)
  if (!isSame(stored, saved)) {
    // Saved meanwhile, here or by somebody else: what nobody has touched here follows.
    if (isSame(content, saved)) {
      setContent(stored)
      setKnown(stored)
    }
    setSaved(stored)
  }
  const cacheKey = ['templates', 'one', name, channel, locale]
  /** Somebody else's text is replaced only by a writer who was told of it. */
  async function tellOfOthers(): Promise<boolean> {
    const current = await api.templates.get({ name, channel, locale })
    if (isSame(contentOf(current), known)) return false
    setKnown(contentOf(current))
    queryClient.setQueryData(cacheKey, current)
    toast(
      'Not saved: somebody else has saved this template meanwhile. Save again to replace their text, or discard your changes to see it.',
      { tone: 'bad' },
    )
    return true
  }
  const isChanged = !isSame(content, saved)
  return {
    content,
    isChanged,
    isSaving,
    errors,
    change(changes) {
      setErrors([])
      setContent(before => ({ ...before, ...changes }))
    },
    revert() {
      setErrors([])
      setContent(saved)
      setKnown(saved)
    },
    async save() {
      setSaving(true)
      try {
        if (await tellOfOthers()) return false
        const input = toInput(channel, content)
        const changes = channel === 'email' ? { ...input, text: content.text } : input
        const after = await api.templates.update(
          { name, channel, locale },
          changes as Parameters<typeof api.templates.update>[1],
        )
        setKnown(contentOf(after))
        queryClient.setQueryData(cacheKey, after)
        void queryClient.invalidateQueries({ queryKey: ['templates'] })
        return true
      } catch (error) {
        setErrors(error instanceof CarillonError ? error.errors : [])
        toast(`Not saved: ${wordsOf(error)}`, { tone: 'bad' })
        return false
      } finally {
        setSaving(false)
      }
    },
  }
}
