/** A tenant's messages by language. */
import type {
  Translations,
  TranslationsChanges,
  TranslationsInput,
  TranslationsSummary,
} from '@carillon/contract'
import type { CallOptions, Send } from './http.ts'
import { wholeList } from './pages.ts'
import { path } from './path.ts'

export function createTranslations(send: Send) {
  return {
    ...wholeList<TranslationsSummary>(send, '/v1/translations'),

    async get(locale: string, options?: CallOptions): Promise<Translations> {
      return send({ method: 'GET', path: path`/v1/translations/${locale}`, ...options })
    },

    /** Replaces all messages of the language. */
    async put(locale: string, translations: TranslationsInput, options?: CallOptions): Promise<Translations> {
      return send({ method: 'PUT', path: path`/v1/translations/${locale}`, body: translations, ...options })
    },

    /** Changes only the messages that are mentioned; null removes one. */
    async update(locale: string, changes: TranslationsChanges, options?: CallOptions): Promise<Translations> {
      return send({ method: 'PATCH', path: path`/v1/translations/${locale}`, body: changes, ...options })
    },

    async delete(locale: string, options?: CallOptions): Promise<void> {
      return send({ method: 'DELETE', path: path`/v1/translations/${locale}`, ...options })
    },
  }
}
