/** The same intent as code, for whoever wants to send it from elsewhere. */
import type { IntentInput } from '@carillon/contract'

export function curlOf(intent: IntentInput, origin: string): string {
  // Inside single quotes a shell leaves everything as it is, except the quote itself.
  const body = JSON.stringify(intent, null, 2).replaceAll("'", String.raw`'\''`)
  return `curl ${origin}/v1/intents \\
  -H "authorization: Bearer $CARILLON_API_KEY" \\
  -H "content-type: application/json" \\
  -d '${body}'`
}

export function sdkOf(intent: IntentInput, origin: string): string {
  return `import { createClient } from '@carillon/sdk'

const carillon = createClient({ url: '${origin}', apiKey: process.env.CARILLON_API_KEY })

await carillon.intents.send(${literalOf(intent)})`
}

/** As people write objects: names without quotes where they need none. */
const literalOf = (value: unknown): string =>
  JSON.stringify(value, null, 2).replace(/^(\s*)"([A-Za-z_$][\w$]*)":/gm, '$1$2:')
