/** Addresses that may become links or pictures: pages of the web, and paths of the page that shows the inbox. */

/** As the server decides it; what is shown may come from elsewhere. */
const PAGE = /^(?:https?:\/\/[^\s/]|\/(?![/\\]))\S*$|^\/$/i

export function pageAddress(address: unknown): string | undefined {
  return typeof address === 'string' && PAGE.test(address) ? address : undefined
}
