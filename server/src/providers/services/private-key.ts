/** Checks keys when they are entered, so that a wrongly pasted one is noticed then and not with the first message. */
import { createPrivateKey } from 'node:crypto'

/** True for a PEM private key of this type; `ec` keys must be on P-256, the only curve that ES256 allows. */
export function isPrivateKey(pem: string, type: 'rsa' | 'ec'): boolean {
  try {
    const key = createPrivateKey(pem)
    if (key.asymmetricKeyType !== type) return false
    return type === 'rsa' || key.asymmetricKeyDetails?.namedCurve === 'prime256v1'
  } catch {
    return false
  }
}
