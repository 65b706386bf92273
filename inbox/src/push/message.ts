/** What a push message shows. It comes from outside, so whatever is not as expected is left out. Pure. */

export interface Shown {
  title: string
  options: { body: string; tag?: string; icon?: string; data: { url: string } }
}

const LONGEST_TITLE = 300
const LONGEST_BODY = 2000

/** `page` is the address of the product: where a click leads if the message does not say. */
export function readPush(text: string, page: string): Shown {
  const { title, body, data } = readObject(text)
  const more = asObject(data)
  const icon = address(more.image, page)
  const tag = asText(more.notification_id)
  return {
    title: asText(title).slice(0, LONGEST_TITLE) || new URL(page).host,
    options: {
      body: asText(body).slice(0, LONGEST_BODY),
      ...(tag !== '' && { tag: tag.slice(0, 200) }),
      ...(icon !== undefined && { icon }),
      data: { url: address(more.url, page) ?? page },
    },
  }
}

/** Only pages: an address of another kind could run something. */
function address(value: unknown, page: string): string | undefined {
  const text = asText(value)
  const url = text !== '' && URL.canParse(text, page) ? new URL(text, page) : undefined
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? url.href : undefined
}

function readObject(text: string): Record<string, unknown> {
  try {
    return asObject(JSON.parse(text))
  } catch {
    return {}
  }
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : '')
