/** What the text looks like, asked for a moment after the last key; an answer that is no longer wanted is not waited for. */
import type { Channel, FieldError, Preview } from '@carillon/contract'
import { CarillonError } from '@carillon/sdk'
import { useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { api } from '../../app/api.ts'
import { useSettled } from '../../ui/use-settled.ts'
import { type Content, toInput } from './content.ts'

export interface Reader {
  locale: string
  timezone: string
}

export interface LivePreview {
  /** The last one that worked. */
  shown: Preview | undefined
  /** Why there is no newer one. */
  error: unknown
  errors: FieldError[]
  isBusy: boolean
}

interface Previewed {
  channel: Channel
  content: Content
  data: Record<string, unknown> | undefined
  reader: Reader
  isAllowed: boolean
}

const NONE: FieldError[] = []

export function usePreview({ channel, content, data, reader, isAllowed }: Previewed): LivePreview {
  const asked = JSON.stringify({ channel, ...reader, template: toInput(channel, content), data })
  const settled = useSettled(asked, 300)
  const last = useRef<Preview>(undefined)
  const query = useQuery({
    queryKey: ['template-preview', settled],
    queryFn: ({ signal }) => api.templates.previewText(JSON.parse(settled), { signal }),
    enabled: isAllowed && data !== undefined,
    gcTime: 0,
    refetchOnWindowFocus: false,
  })
  if (query.data) last.current = query.data
  return {
    shown: query.data ?? last.current,
    error: query.error,
    errors: query.error instanceof CarillonError ? query.error.errors : NONE,
    isBusy: query.isFetching || asked !== settled,
  }
}
