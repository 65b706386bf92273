/** Texts that Carillon itself puts into mails. A tenant's translations with the same keys take precedence. */
export const BUILT_IN_MESSAGES = {
  'links.unsubscribe': 'Unsubscribe',
  'links.preferences': 'Manage notifications',
}
