/** Signs outgoing mail with DKIM (RFC 6376). */
import { createPrivateKey } from 'node:crypto'
import type { Readable } from 'node:stream'
import DKIM from 'nodemailer/lib/dkim'

export interface DkimOptions {
  domain: string
  selector: string
  /** RSA, as PEM. */
  private_key: string
}

/** As RFC 6376 recommends, plus List-Unsubscribe-Post: mail programs offer no button unless it is signed (RFC 8058). */
const SIGNED_HEADERS = [
  'From:Sender:Reply-To:Subject:Date:Message-ID:To:Cc:MIME-Version:Content-Type:Content-Transfer-Encoding',
  'In-Reply-To:References:List-Id:List-Unsubscribe:List-Unsubscribe-Post:Auto-Submitted',
].join(':')

/** Returns a function that signs a mail; without options it leaves the mail as it is. */
export function createDkimSigner(options: DkimOptions | undefined): (body: Readable) => Readable {
  if (!options) return body => body
  assertRsaKey(options.private_key)
  const dkim = new DKIM({
    domainName: options.domain,
    keySelector: options.selector,
    privateKey: options.private_key,
    headerFieldNames: SIGNED_HEADERS,
  })
  return body => dkim.sign(body)
}

/** With a key that does not work, nodemailer would send the mail unsigned. */
function assertRsaKey(private_key: string): void {
  if (keyTypeOf(private_key) !== 'rsa') {
    throw new Error('expected the DKIM private key to be an RSA key in PEM form')
  }
}

function keyTypeOf(private_key: string): string | undefined {
  try {
    return createPrivateKey(private_key).asymmetricKeyType
  } catch {
    return undefined
  }
}
