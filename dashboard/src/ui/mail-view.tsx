/** A mail with its head, at the width of a desk or a phone, in light or dark, or as plain text. */
import { Monitor, Moon, Smartphone, Sun } from 'lucide-react'
import { useState } from 'react'
import { MailFrame } from './mail-frame.tsx'
import { type Message, MessageOptionFacts } from './message-options.tsx'
import { Facts } from './page.tsx'
import { Segments } from './segments.tsx'

const PHONE = 375

export function MailView({ message }: { message: Message }) {
  const { address, subject, text, html, options } = message
  const [look, setLook] = useState<'html' | 'text'>(html === null ? 'text' : 'html')
  const [width, setWidth] = useState<'desk' | 'phone'>('desk')
  const [light, setLight] = useState<'light' | 'dark'>('light')
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <h2 className="text-lg break-words" dir="auto">
        {subject || <span className="text-muted">No subject</span>}
      </h2>
      <Facts facts={[['To', <bdi key="to">{address || '–'}</bdi>]]} />
      <MessageOptionFacts options={options} />
      <div className="flex flex-wrap items-center gap-2">
        {html !== null && (
          <Segments
            label="Form of the mail"
            value={look}
            onChange={setLook}
            options={[
              { value: 'html', label: 'HTML' },
              { value: 'text', label: 'Plain text' },
            ]}
          />
        )}
        {look === 'html' && (
          <>
            <Segments
              label="Width"
              value={width}
              onChange={setWidth}
              options={[
                { value: 'desk', label: <Monitor size={14} />, title: 'Desktop' },
                { value: 'phone', label: <Smartphone size={14} />, title: 'Phone' },
              ]}
            />
            <Segments
              label="Theme of the reader"
              value={light}
              onChange={setLight}
              options={[
                { value: 'light', label: <Sun size={14} />, title: 'Light' },
                { value: 'dark', label: <Moon size={14} />, title: 'Dark' },
              ]}
            />
          </>
        )}
      </div>
      {look === 'html' && html !== null ? (
        <div className="flex justify-center">
          <MailFrame
            // Without it, the frame would keep the height of the mail before.
            key={width}
            title={`Mail: ${subject}`}
            html={html}
            isDark={light === 'dark'}
            maxHeight={900}
            {...(width === 'phone' && { width: PHONE })}
          />
        </div>
      ) : (
        <PlainText text={text} />
      )}
    </div>
  )
}

export function PlainText({ text }: { text: string }) {
  return (
    <pre
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
      tabIndex={0}
      dir="auto"
      className="max-h-[40rem] overflow-auto rounded-control bg-bg p-3 font-sans break-words whitespace-pre-wrap"
    >
      {text || 'This message has no text.'}
    </pre>
  )
}
