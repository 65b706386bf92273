/** The texts of the pages that people see, in the languages that Carillon brings. */
import { AR } from './page-messages/ar.ts'
import { DE } from './page-messages/de.ts'
import { EN, type PageMessages } from './page-messages/en.ts'
import { ES } from './page-messages/es.ts'
import { FR } from './page-messages/fr.ts'
import { JA } from './page-messages/ja.ts'
import { PT } from './page-messages/pt.ts'

/** All keys begin so; a tenant's own messages should not. */
export const PAGE_PREFIX = 'page.'

/** By locale in lower case. */
export const PAGE_MESSAGES: Record<string, PageMessages> = {
  en: EN,
  de: DE,
  fr: FR,
  es: ES,
  pt: PT,
  ja: JA,
  ar: AR,
}
