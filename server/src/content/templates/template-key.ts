/** How a template is addressed. */
import { Channel, Locale, Name } from '@carillon/contract'
import { z } from 'zod'
import { canonicalLocale } from '../translations/locale.ts'
import type { TemplateKey } from './queries.ts'

export const PATH = '/v1/templates/:name/:channel/:locale'
export const KeyParams = z.object({ name: Name(100), channel: Channel, locale: Locale })

export const keyOf = ({ name, channel, locale }: TemplateKey): TemplateKey => ({
  name,
  channel,
  locale: canonicalLocale(locale),
})

/** As the audit log names it. */
export const nameOf = ({ name, channel, locale }: TemplateKey): string => `${name}/${channel}/${locale}`
