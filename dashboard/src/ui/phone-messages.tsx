/** Short messages as their devices show them: a text message, a push on the lock screen, a chat message, a row of the inbox. */
import { BellRing } from 'lucide-react'
import type { ReactNode } from 'react'
import { PlainText } from './mail-view.tsx'
import { type Message, MessageOptionFacts } from './message-options.tsx'
import { countSms } from './sms-parts.ts'
import { OutsideLink } from './text-link.tsx'
import { sayMoment } from './time.tsx'

const when = (at: string | undefined): string => (at === undefined ? 'Now' : sayMoment(new Date(at)))

function Phone({ children }: { children: ReactNode }) {
  return (
    <div className="mx-auto flex min-h-64 w-full max-w-80 flex-col gap-3 rounded-[24px] border border-border bg-bg px-4 pt-5 pb-8">
      {children}
    </div>
  )
}

/** Web addresses in a text can be followed, as on a phone. */
function Linked({ text }: { text: string }) {
  return text.split(/(https?:\/\/[^\s<>"]+)/).map((part, i) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text do not move
    i % 2 === 1 ? <OutsideLink key={i} url={part} /> : part,
  )
}

export function TextMessage({ message }: { message: Message }) {
  const { address, text, at, options } = message
  const { characters, parts } = countSms(text)
  return (
    <div className="flex flex-col gap-3">
      <Phone>
        <div className="text-center text-sm text-muted">
          <div className="font-medium text-text">
            <bdi>{address || 'The person’s phone'}</bdi>
          </div>
          {when(at)}
        </div>
        <div
          dir="auto"
          className="max-w-[90%] self-start rounded-[16px] rounded-bl-[4px] bg-idle-soft px-3 py-2 break-words whitespace-pre-wrap"
        >
          <Linked text={text} />
        </div>
      </Phone>
      <p className="text-center text-sm text-muted tabular">
        {characters} {characters === 1 ? 'character' : 'characters'}, sent as {parts}{' '}
        {parts === 1 ? 'text message' : 'text messages'}
      </p>
      <MessageOptionFacts options={options} />
    </div>
  )
}

export function LockScreen({ message: { subject, text, at, options } }: { message: Message }) {
  return (
    <div className="flex flex-col gap-3">
      <Phone>
        <div className="pt-2 pb-4 text-center">
          <div className="text-2xl font-semibold tabular">
            {new Date(at ?? Date.now()).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })}
          </div>
          <div className="text-sm text-muted">
            {new Date(at ?? Date.now()).toLocaleDateString('en-GB', {
              weekday: 'long',
              day: 'numeric',
              month: 'long',
            })}
          </div>
        </div>
        <div className="flex gap-2.5 rounded-[16px] border border-border bg-raised p-3">
          <span className="grid size-8 shrink-0 place-items-center rounded-card bg-accent text-accent-text">
            <BellRing size={16} aria-hidden="true" />
          </span>
          <div className="min-w-0 flex-1" dir="auto">
            <div className="font-semibold break-words">{subject}</div>
            <div className="break-words whitespace-pre-wrap">{text}</div>
          </div>
          <span className="text-sm text-muted">now</span>
        </div>
      </Phone>
      <MessageOptionFacts options={options} />
    </div>
  )
}

/** Chats and webhooks show plain text under a bold title. */
export function ChatMessage({
  message: { channel, address, subject, text, at, options },
}: {
  message: Message
}) {
  if (channel === 'webhook')
    return (
      <div className="flex flex-col gap-3">
        {address && (
          <p className="break-all text-muted">
            Posted to <OutsideLink url={address} />
          </p>
        )}
        {subject && (
          <h2 className="text-lg break-words" dir="auto">
            {subject}
          </h2>
        )}
        <PlainText text={text} />
      </div>
    )
  return (
    <div className="flex flex-col gap-3">
      <div className="flex gap-3 rounded-card border border-border p-4">
        <span className="grid size-8 shrink-0 place-items-center rounded-card bg-accent text-accent-text">
          <BellRing size={16} aria-hidden="true" />
        </span>
        <div className="min-w-0 flex-1">
          <div className="flex flex-wrap items-baseline gap-x-2">
            <span className="font-semibold">Carillon</span>
            <span className="text-sm text-muted">
              {address && (
                <>
                  to <bdi>{address}</bdi>,{' '}
                </>
              )}
              {when(at)}
            </span>
          </div>
          <div dir="auto" className="break-words whitespace-pre-wrap">
            {subject && <div className="font-semibold">{subject}</div>}
            <Linked text={text} />
          </div>
        </div>
      </div>
      <MessageOptionFacts options={options} />
    </div>
  )
}

export function InboxMessage({ message: { subject, text, at } }: { message: Message }) {
  return (
    <div className="flex gap-3 rounded-card border border-border p-4">
      <span aria-hidden="true" className="mt-1.5 size-2 shrink-0 rounded-full bg-accent" />
      <div className="min-w-0 flex-1" dir="auto">
        <div className="font-semibold break-words">{subject}</div>
        <div className="break-words whitespace-pre-wrap text-muted">{text}</div>
      </div>
      <span className="text-sm whitespace-nowrap text-muted">{when(at)}</span>
    </div>
  )
}
