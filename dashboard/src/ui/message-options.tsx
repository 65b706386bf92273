/** A message, and what its intent says about it beside its text. */
import type { Channel, MessageOptions } from '@carillon/contract'
import { Facts } from './page.tsx'
import { OutsideLink } from './text-link.tsx'

export interface Message {
  channel: Channel
  address: string
  subject: string
  text: string
  html: string | null
  options?: MessageOptions | null | undefined
  at?: string | undefined
}

/** What the intent says about the message beside its text; nothing if it says nothing. */
export function MessageOptionFacts({ options }: { options: MessageOptions | null | undefined }) {
  if (!options) return null
  const { reply_to, cc, bcc, preheader, attachments, media, content_sid, content_variables } = options
  return (
    <Facts
      facts={[
        ['Reply to', reply_to],
        ['Cc', cc?.join(', ')],
        ['Bcc', bcc?.join(', ')],
        ['Preheader', preheader],
        [
          'Attachments',
          attachments && (
            <ul>
              {attachments.map(({ filename, content_type, bytes }) => (
                <li key={filename}>
                  {filename}{' '}
                  <span className="text-muted">
                    {content_type}, {bytes.toLocaleString('en')} bytes
                  </span>
                </li>
              ))}
            </ul>
          ),
        ],
        [
          'Media',
          media && (
            <ul>
              {media.map(url => (
                <li key={url}>
                  <OutsideLink url={url} />
                </li>
              ))}
            </ul>
          ),
        ],
        ['Content template', content_sid],
        [
          'Variables',
          content_variables &&
            Object.entries(content_variables)
              .map(([name, value]) => `${name}: ${value}`)
              .join(', '),
        ],
      ]}
    />
  )
}
