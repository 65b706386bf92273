/** The labels of the links in a mail without a template: the tenant's translations in the reader's language. */
import { BUILT_IN_MESSAGES } from '../translations/built-in-messages.ts'
import type { Translate } from '../translations/messages.ts'
import type { LinkLabels, LinksOf, MailLinks } from './mail-links.ts'
import type { MessageRoute } from './message-route.ts'

export const BUILT_IN_LABELS: LinkLabels = {
  unsubscribe: BUILT_IN_MESSAGES['links.unsubscribe'],
  preferences: BUILT_IN_MESSAGES['links.preferences'],
}

/** `translateFor` is called only for mails that have links. */
export function withLabels(
  linksOf: LinksOf,
  translateFor: (route: MessageRoute) => Promise<Translate>,
): (route: MessageRoute) => Promise<MailLinks | null> {
  return async route => {
    const links = linksOf(route)
    return links && { ...links, labels: labelsFrom(await translateFor(route)) }
  }
}

function labelsFrom(translate: Translate): LinkLabels {
  try {
    return {
      unsubscribe: translate('links.unsubscribe', {}),
      preferences: translate('links.preferences', {}),
    }
  } catch {
    // A translation that wrongly needs parameters is no reason to hold back a mail.
    return BUILT_IN_LABELS
  }
}
