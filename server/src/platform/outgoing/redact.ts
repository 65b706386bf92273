/** Keeps credentials out of stored failure messages: a receiver's answer may echo what we sent. */
import { urlCredentials } from './url-credentials.ts'

/** Every form in which the credentials of a URL could come back in an answer. */
export function secretsInUrl(url: URL): string[] {
  const { user, password } = urlCredentials(url)
  if (password === '') return []
  return [
    password,
    url.password,
    base64(password),
    base64(`${user}:${password}`),
    base64(`\0${user}\0${password}`),
  ]
}

/** Whole header values and their last word, so that the token of `Bearer <token>` is also hidden on its own. */
export function secretsInHeaders(headers: Record<string, string>): string[] {
  return Object.values(headers).flatMap(value => [value, value.split(' ').at(-1) ?? ''])
}

/** Makes a function that replaces every occurrence of the secrets. */
export function createRedactor(secrets: string[]): (text: string) => string {
  const longestFirst = secrets.filter(isWorthHiding).sort((a, b) => b.length - a.length)
  return text => longestFirst.reduce((redacted, secret) => redacted.replaceAll(secret, '[redacted]'), text)
}

/** Redacting anything shorter would hit ordinary words of the message and protect little. */
function isWorthHiding(secret: string): boolean {
  return secret.length >= 4
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}
