/** The pages behind the links in mails: unsubscribing, and links that do not work. */
import type { Channel } from '@carillon/contract'
import type { PageTexts } from '../../content/translations/page-texts.ts'
import type { Document } from '../../platform/pages/document.ts'
import { html } from '../../platform/text/html.ts'
import { frame, type PageContext } from './frame.ts'
import { categoryLabel, listOf } from './labels.ts'

/** What an unsubscribe link ends: the messages of a category on a channel, or without one all of the channel. */
export interface OptOut {
  channel: Channel
  category: CategoryNames | undefined
  /** What is sent all the same. */
  alwaysSent: CategoryNames[]
}

/** The person leaves one thread, as it is called. */
export interface LeftThread {
  thread: string
}

interface CategoryNames {
  category: string
  name: string
}

export function unsubscribePage(context: PageContext, optOut: OptOut | LeftThread): Document {
  const { text } = context.texts
  return frame(
    context,
    text('page.unsubscribe.title'),
    html`<header><h1>${text('page.unsubscribe.title')}</h1></header>
<p>${describe(context.texts, optOut)}</p>
<form method="post">
  <input type="hidden" name="List-Unsubscribe" value="One-Click">
  <div class="actions"><button type="submit">${text('page.unsubscribe.confirm')}</button></div>
</form>`,
  )
}

export function unsubscribedPage(
  context: PageContext,
  optOut: OptOut | LeftThread,
  preferencesUrl: string,
): Document {
  const { text } = context.texts
  // That page knows no threads.
  const next = 'thread' in optOut ? 'page.required.change' : 'page.unsubscribed.undo'
  return frame(
    context,
    text('page.unsubscribed.title'),
    html`<header><h1>${text('page.unsubscribed.title')}</h1></header>
<p class="notice ok" role="status">${describe(context.texts, optOut)}</p>
<p class="actions"><a href="${preferencesUrl}">${text(next)}</a></p>`,
  )
}

/** An old mail may offer what has become impossible. */
export function requiredPage(
  context: PageContext,
  category: CategoryNames,
  preferencesUrl: string,
): Document {
  const { text } = context.texts
  const label = categoryLabel(context.texts, category)
  return frame(
    context,
    text('page.required.title'),
    html`<header><h1>${text('page.required.title')}</h1></header>
<p role="status">${text('page.required.text', { category: label })}</p>
<p class="actions"><a href="${preferencesUrl}">${text('page.required.change')}</a></p>`,
  )
}

export function brokenLinkPage(context: PageContext, kind: 'expired' | 'broken'): Document {
  const { text } = context.texts
  return frame(
    context,
    text(`page.${kind}.title`),
    html`<header><h1>${text(`page.${kind}.title`)}</h1></header>
<p>${text(`page.${kind}.text`)}</p>`,
  )
}

function describe(texts: PageTexts, optOut: OptOut | LeftThread): string {
  const { text } = texts
  if ('thread' in optOut) return text('page.unsubscribe.thread', { thread: optOut.thread })
  const { channel, category, alwaysSent } = optOut
  const by = text(`page.by.${channel}`)
  if (category !== undefined)
    return text('page.unsubscribe.category', { category: categoryLabel(texts, category), by })
  if (alwaysSent.length === 0) return text('page.unsubscribe.channel', { by })
  const categories = listOf(
    texts,
    alwaysSent.map(each => categoryLabel(texts, each)),
  )
  return text('page.unsubscribe.channel_except', { by, categories })
}
