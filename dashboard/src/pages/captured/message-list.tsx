import type { CapturedMessage } from '@carillon/contract'
import { type KeyboardEvent, useRef } from 'react'
import { Button } from '../../ui/button.tsx'
import { ChannelIcon } from '../../ui/channel.tsx'
import { classes } from '../../ui/classes.ts'
import { readRecipient } from '../../ui/recipient.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Time } from '../../ui/time.tsx'
import { useKeys } from '../../ui/use-keys.ts'
import type { Rows } from '../../ui/use-rows.ts'

interface MessageListProps {
  list: Rows<CapturedMessage>
  rows: CapturedMessage[] | undefined
  shownId: string | undefined
  onChoose(id: string): void
}

export function MessageList({ list, rows, shownId, onChoose }: MessageListProps) {
  const items = useRef<HTMLUListElement>(null)
  /** j and k and the arrows show the next and the previous message. */
  const move = (event: KeyboardEvent) => {
    const step =
      event.key === 'j' || event.key === 'ArrowDown'
        ? 1
        : event.key === 'k' || event.key === 'ArrowUp'
          ? -1
          : 0
    if (step === 0 || event.metaKey || event.ctrlKey || event.altKey) return
    event.preventDefault()
    const buttons = [...(items.current?.querySelectorAll('button') ?? [])]
    const next = buttons[buttons.indexOf(document.activeElement as HTMLButtonElement) + step]
    next?.focus()
    if (next?.dataset.id && matchMedia('(min-width: 48rem)').matches) onChoose(next.dataset.id)
  }
  useKeys({
    j: () => {
      const shown = items.current?.querySelector<HTMLElement>('button[aria-current]')
      const first = items.current?.querySelector<HTMLElement>('button')
      ;(shown ?? first)?.focus()
    },
  })
  if (rows === undefined)
    return (
      <div role="status" aria-label="Loading" className="flex flex-col gap-4 p-4">
        {[1, 2, 3, 4, 5, 6].map(i => (
          <Skeleton key={i} className="h-9 w-full" />
        ))}
      </div>
    )
  return (
    <>
      <ul ref={items} aria-label="Captured messages" onKeyDown={move}>
        {rows.map(message => {
          const { message_id, channel, recipient_ref, subject, text, captured_at } = message
          const isShown = message_id === shownId
          return (
            <li key={message_id}>
              <button
                type="button"
                data-id={message_id}
                aria-current={isShown || undefined}
                onClick={() => onChoose(message_id)}
                className={classes(
                  'grid w-full grid-cols-[1rem_minmax(0,1fr)_auto] gap-x-2.5 border-b border-border px-3 py-2 text-left outline-offset-[-2px]',
                  isShown ? 'md:bg-accent-soft' : 'hover:bg-hover',
                )}
              >
                <span className="pt-0.5 text-muted">
                  <ChannelIcon channel={channel} />
                </span>
                <bdi className="cut font-medium">{readRecipient(recipient_ref).name}</bdi>
                <Time value={captured_at} className="text-sm text-muted" />
                <span className="cut col-start-2 col-end-4" dir="auto">
                  {(channel === 'sms' ? text : subject || text) || (
                    <span className="text-muted">No text</span>
                  )}
                </span>
              </button>
            </li>
          )
        })}
      </ul>
      {list.hasMore && (
        <div className="flex justify-center p-2">
          <Button kind="quiet" isBusy={list.isLoadingMore} onClick={list.loadMore}>
            Load more
          </Button>
        </div>
      )}
    </>
  )
}
