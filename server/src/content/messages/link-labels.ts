/** What stands on the links of a mail that no template shaped: the tenant's own words in the reader's language. */
import { BUILT_IN_MESSAGES } from '../translations/built-in-messages.ts'
import type { Translate } from '../translations/messages.ts'
import type { LinkLabels, LinksOf, MailLinks } from './mail-links.ts'
import type { MessageRoute } from './message-route.ts'

export const BUILT_IN_LABELS: LinkLabels = {
  unsubscribe: BUILT_IN_MESSAGES['links.unsubscribe'],
  preferences: BUILT_IN_MESSAGES['links.preferences'],
}

/** `translateFor` is asked for mails with links only. */
export function withLabels(
  linksOf: LinksOf,
  translateFor: (route: MessageRoute) => Promise<Translate>,
): (route: MessageRoute) => Promise<MailLinks | null> {
  return async route => {
    const links = linksOf(route)
    return links && { ...links, labels: labelsBy(await translateFor(route)) }
  }
}

function labelsBy(translate: Translate): LinkLabels {
  try {
    return {
      unsubscribe: translate('links.unsubscribe', {}),
      preferences: translate('links.preferences', {}),
    }
  } catch {
    // A translation that asks for parameters, which nobody could give here, is no reason to keep a mail back.
    return BUILT_IN_LABELS
  }
}
