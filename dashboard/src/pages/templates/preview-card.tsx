/** How it is read: a mail at two widths, light and dark, a text message, a card on a phone. */
import type { Channel, Preview } from '@carillon/contract'
import { Monitor, Moon, Smartphone, Sun, Type } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { wordsOf } from '../../app/api.ts'
import { IconButton } from '../../ui/button.tsx'
import { classes } from '../../ui/classes.ts'
import { MailFrame } from '../../ui/mail-frame.tsx'
import { PlainText } from '../../ui/mail-view.tsx'
import { MessageView } from '../../ui/message-view.tsx'
import { Card } from '../../ui/page.tsx'
import { Notice } from '../../ui/problem.tsx'
import { Segments } from '../../ui/segments.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import type { LivePreview } from './use-preview.ts'

type View = 'desktop' | 'phone' | 'text'
const VIEWS: { value: View; label: ReactNode }[] = [
  { value: 'desktop', label: <Labelled icon={<Monitor size={14} />} text="Desktop" /> },
  { value: 'phone', label: <Labelled icon={<Smartphone size={14} />} text="Phone" /> },
  { value: 'text', label: <Labelled icon={<Type size={14} />} text="Text" /> },
]

function Labelled({ icon, text }: { icon: ReactNode; text: string }) {
  return (
    <>
      <span aria-hidden="true">{icon}</span>
      {text}
    </>
  )
}

export function PreviewCard({ channel, preview }: { channel: Channel; preview: LivePreview }) {
  const [view, setView] = useState<View>(() => (matchMedia('(width < 48rem)').matches ? 'phone' : 'desktop'))
  const [isDark, setDark] = useState(false)
  const { shown, error, isBusy } = preview
  return (
    <Card
      title="Preview"
      actions={
        channel === 'email' && (
          <>
            <Segments label="How it is shown" value={view} options={VIEWS} onChange={setView} />
            <IconButton
              label={isDark ? 'Show it in light' : 'Show it in dark'}
              aria-pressed={isDark}
              disabled={view === 'text'}
              onClick={() => setDark(!isDark)}
            >
              {isDark ? <Sun size={14} /> : <Moon size={14} />}
            </IconButton>
          </>
        )
      }
    >
      <div className="flex min-w-0 flex-col gap-3" aria-busy={isBusy}>
        {error != null && <Notice tone="bad">{wordsOf(error)}</Notice>}
        {shown ? (
          <div className={classes('min-w-0 transition-opacity', error != null && 'opacity-50')}>
            <Rendered channel={channel} shown={shown} view={view} isDark={isDark} />
          </div>
        ) : (
          error == null && <Skeleton className="h-64 w-full" />
        )}
      </div>
    </Card>
  )
}

interface RenderedProps {
  channel: Channel
  shown: Preview
  view?: View
  isDark?: boolean
}

export function Rendered({ channel, shown, view = 'desktop', isDark = false }: RenderedProps) {
  const { subject, text, html } = shown
  if (channel === 'email')
    return (
      <div className="flex flex-col gap-3">
        <p className="break-words">
          <span className="text-muted">Subject </span>
          <b className="font-semibold">{subject}</b>
        </p>
        {view === 'text' || html === null ? (
          <PlainText text={text} />
        ) : (
          <MailFrame
            html={html}
            title={`Mail: ${subject}`}
            isDark={isDark}
            width={view === 'phone' ? 375 : 680}
            isScaled={view === 'desktop'}
          />
        )}
      </div>
    )
  return <MessageView message={{ channel, address: '', subject, text, html }} />
}
