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

/** RFC 6376's recommendation, and List-Unsubscribe-Post, without whose signature mail programs offer no button (RFC 8058). */
const SIGNED = [
  'From:Sender:Reply-To:Subject:Date:Message-ID:To:Cc:MIME-Version:Content-Type:Content-Transfer-Encoding',
  'In-Reply-To:References:List-Id:List-Unsubscribe:List-Unsubscribe-Post:Auto-Submitted',
].join(':')

/** A function from the unsigned to the signed body; without options the body stays as it is. */
export function createDkimSigner(options: DkimOptions | undefined): (body: Readable) => Readable {
  if (!options) return body => body
  assertRsaKey(options.private_key)
  const dkim = new DKIM({
    domainName: options.domain,
    keySelector: options.selector,
    privateKey: options.private_key,
    headerFieldNames: SIGNED,
  })
  return body => dkim.sign(body)
}

/** Nodemailer sends the mail unsigned when the key does not work; better to learn of it here. */
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
