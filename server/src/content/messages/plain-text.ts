/** The text part of a mail without a template, and the whole of a message on another channel. */
import { BUILT_IN_LABELS } from './link-labels.ts'
import type { MailLinks } from './mail-links.ts'
import type { PlainContent } from './plain-content.ts'

export function mailText({ text, button }: PlainContent, links: MailLinks | null): string {
  const url = button === null || hasLink(text, button.url) ? '' : buttonLine(button)
  return [text, url, linkLines(links)].filter(part => part !== '').join('\n\n')
}

/** As a word of its own: the start of another link is not the link. */
function hasLink(text: string, url: string): boolean {
  return text.split(/\s+/).some(word => word === url || word.replace(AROUND, '') === url)
}

const AROUND = /^[(<["'«]+|[.,;:!?)>\]"'»]+$/g

function buttonLine({ url, label }: NonNullable<PlainContent['button']>): string {
  return label === null ? url : `${label}: ${url}`
}

function linkLines(links: MailLinks | null): string {
  if (links === null) return ''
  const { unsubscribe, preferences, labels = BUILT_IN_LABELS } = links
  // Nobody can unsubscribe from a required category.
  const leave = unsubscribe === null ? [] : [`${labels.unsubscribe}: ${unsubscribe}`]
  return [...leave, `${labels.preferences}: ${preferences}`].join('\n')
}
