/** User and password of a URL, decoded; '' where it has none. */
export function urlCredentials(url: URL): { user: string; password: string } {
  return { user: decode(url.username), password: decode(url.password) }
}

/** A password with a bare percent sign is not a valid escape: it is used as written. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
