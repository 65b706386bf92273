/** How many text messages a text becomes, as the networks count. */

/** What the old 7-bit alphabet of text messages has; anything else makes them half as long. */
const GSM = /^[@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&'()*+,\-./0-9:;<=>?¡A-ZÄÖÑÜ§¿a-zäöñüà^{}\\[~\]|€]*$/
const TWICE = /[\^{}\\[~\]|€]/g

export function countSms(text: string): { characters: number; parts: number } {
  if (!GSM.test(text)) return count(text.length, 70, 67)
  return count(text.length + (text.match(TWICE)?.length ?? 0), 160, 153)

  function count(characters: number, whole: number, part: number) {
    return { characters, parts: characters <= whole ? 1 : Math.ceil(characters / part) }
  }
}
