/** Words that Carillon itself puts into mails. A tenant's translations with these keys come before them. */
export const BUILT_IN_MESSAGES = {
  'links.unsubscribe': 'Unsubscribe',
  'links.preferences': 'Manage notifications',
}
